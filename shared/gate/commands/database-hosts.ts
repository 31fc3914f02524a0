import { namesOutside } from '../checkers/hosts.ts';
import { type Call, changes, type Rule } from '../rule.ts';

/** A host outside, or a connection text, which can name anything. */
export function reachesOutside(call: Call): boolean {
  return call.args.some((arg, i) => {
    const text = arg.text ?? '';
    const value = /^(?:-h|--host=)(.+)$/s.exec(text)?.[1];
    const named = /^(-h|--host)$/.test(call.args[i - 1]?.text ?? '') ? text : value;
    if (/(^|\s)(service|options|host|hostaddr|passfile|sslkey)\s*=/.test(text)) return true;
    const address = /^[a-z]+:\/\//i.test(text) ? text : named;
    return address !== undefined && namesOutside(address);
  });
}

/** A client that is sent to a host outside. */
export function goesOutside(example: string, not: string): Rule {
  return changes('', 'asks a host outside', [example], [not], {
    if: reachesOutside,
    flags: ['egress', 'outside_text'],
  });
}
