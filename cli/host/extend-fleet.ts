import { type Document, isMap, isSeq, parseDocument, YAMLSeq } from 'yaml';
import type { FleetGuest, FleetHost } from '../../daemon/fleet.ts';

const HEAD = `# Which machines Oikos serves; only the daemon reads it. See fleet.example.yaml.
hosts: []
guests: []
`;

/**
 * fleet.yaml's text with one more host and its guests at the ends of their lists; comments and
 * order stay. The text must be a fleet that parseFleet() accepts, or empty.
 */
export function extendFleet(
  text: string,
  added: { readonly host: FleetHost; readonly guests: readonly FleetGuest[] },
): string {
  const document = parseDocument(text.trim() === '' ? HEAD : text);
  append(document, 'hosts', [hostEntry(added.host)]);
  append(document, 'guests', added.guests.map(guestEntry));
  // Without a width: a long comment or key must not be broken into lines.
  return document.toString({ lineWidth: 0, indentSeq: !startsAtMargin(text) });
}

function append(document: Document, name: string, entries: readonly object[]): void {
  const list = listOf(document, name);
  for (const entry of entries) {
    const node = document.createNode(entry);
    if (isMap(node) && !list.flow && list.items.length > 0) node.spaceBefore = name === 'hosts';
    list.items.push(node);
  }
}

function listOf(document: Document, name: string): YAMLSeq {
  const there = document.get(name, true);
  const list = isSeq(there) ? there : new YAMLSeq();
  if (list.items.length === 0) list.flow = false;
  if (list !== there) document.set(name, list);
  return list;
}

/** What has a default is not written; the order is the example's. */
function hostEntry(host: FleetHost): object {
  return {
    slug: host.slug,
    address: host.address,
    ...(host.port !== 22 && { port: host.port }),
    user: host.user,
    ...(host.sudo && { sudo: true }),
    ...(host.keyFile !== undefined && { key_file: host.keyFile }),
    ...(host.agent !== undefined && { agent: host.agent }),
    ...(host.passphraseFile !== undefined && { key_passphrase_file: host.passphraseFile }),
    ...(host.hostKey !== undefined && { host_key: host.hostKey }),
    ...(host.jump !== undefined && { jump: host.jump }),
    ...(host.site !== 'home' && { site: host.site }),
  };
}

function guestEntry({ slug, host, vmid, kind, name }: FleetGuest): object {
  return { slug, host: host.replace(/^host:/, ''), vmid, kind, name };
}

/** Some write `- ` below its key without indenting it. */
function startsAtMargin(text: string): boolean {
  return /^- /m.test(text);
}
