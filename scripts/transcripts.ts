import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { firstDifference, toMarkdown, withSection } from '../lab/tour/document.ts';
import { highestNumber, normalise, renumber } from '../lab/tour/normalise.ts';
import { type Played, play } from '../lab/tour/play.ts';
import { readScript } from '../lab/tour/script.ts';
import { labForm } from '../lab/world/hosts.ts';
import { DEMO_MARK, endLeftovers } from '../lab/world/leftovers.ts';
import { createSteps } from '../lab/world/steps.ts';
import { startWorld, type World } from '../lab/world.ts';

// Plays docs/scripts and writes what came out into README.md and docs/USER.md; --check compares.
const ROOT = fileURLToPath(new URL('..', import.meta.url));
const SCRIPTS = join(ROOT, 'docs', 'scripts');
// Times that people read are in this machine's zone otherwise.
process.env['TZ'] = 'UTC';

const dir = mkdtempSync(join(tmpdir(), 'oikos-transcripts-'));
process.env[DEMO_MARK] = dir;
const code = await main(process.argv.includes('--check')).catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : String(error));
  return 1;
});
await endLeftovers(dir);
rmSync(dir, { recursive: true, force: true });
process.exit(code);

async function main(check: boolean): Promise<number> {
  const { tour, user } = await playBoth();
  const documents = [
    { path: join(ROOT, 'README.md'), name: 'tour', text: toMarkdown(tour, { numbered: false }) },
    {
      path: join(ROOT, 'docs', 'USER.md'),
      name: 'conversations',
      text: toMarkdown(user, { numbered: true }),
    },
  ];
  let drifted = 0;
  for (const { path, name, text } of documents) {
    const written = readFileSync(path, 'utf8');
    const played = withSection(written, name, text);
    if (played === undefined) throw new Error(`${path} has no section "${name}"`);
    if (!check) writeFileSync(path, played);
    const difference = check ? firstDifference(written, played) : undefined;
    if (difference === undefined) continue;
    drifted += 1;
    console.error(
      `${path} is not what the scripts print (npm run transcripts writes it), ${difference}`,
    );
  }
  return drifted > 0 ? 1 : 0;
}

/** One world for both, its hosts made new in between. */
async function playBoth(): Promise<{ tour: readonly Played[]; user: readonly Played[] }> {
  const form = await labForm();
  if (form.kind === 'state') throw new Error(`transcripts need the confined lab: ${form.reason}`);
  const world = await startWorld({
    root: ROOT,
    dir,
    form,
    steps: createSteps(
      { write: (text) => void process.stderr.write(text), live: false, columns: 80 },
      () => performance.now(),
    ),
    homeserver: undefined,
    model: {},
    redisUrl: undefined,
  });
  try {
    const tour = await played(world, ['tour.txt']);
    await world.resetHosts();
    const names = readdirSync(SCRIPTS).filter((name) => /^user-.*\.txt$/.test(name));
    const user = await played(world, names.toSorted());
    const earlier = Math.max(0, ...tour.map(({ text }) => highestNumber(text)));
    return {
      tour: tour.map((part) => ({ ...part, text: normalise(part.text) })),
      user: user.map((part) => ({ ...part, text: normalise(renumber(part.text, earlier)) })),
    };
  } finally {
    await world.stop();
  }
}

async function played(world: World, files: readonly string[]): Promise<readonly Played[]> {
  const parts: Played[] = [];
  const steps = files.flatMap((name) => readScript(readFileSync(join(SCRIPTS, name), 'utf8')));
  const { failures } = await play(world, { steps, print: (part) => parts.push(part), pauseMs: 0 });
  if (failures.length > 0) throw new Error(failures.join('\n'));
  return parts;
}
