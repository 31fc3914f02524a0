import { spawnSync } from 'node:child_process';

export interface Check {
  readonly name: string;
  readonly ok: boolean;
}

/** Lint, types, dead code and schema drift: what must hold before any test is worth running. */
export function runChecks(): Check[] {
  return [
    check('biome', ['biome', 'check', '--error-on-warnings', '.']),
    check('tsc', ['tsc']),
    check('knip', ['knip']),
    schemaDrift(),
  ];
}

function check(name: string, [command = '', ...args]: string[]): Check {
  console.log(`— ${name}`);
  return { name, ok: spawnSync(command, args, { stdio: 'inherit' }).status === 0 };
}

/** drizzle-kit exits 0 even after a crash: only its words and an unchanged folder count. */
function schemaDrift(): Check {
  console.log('— schema drift');
  const before = snapshot();
  const ran = spawnSync('drizzle-kit', ['generate', '--name', 'drift'], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said = `${ran.stdout}${ran.stderr}`;
  const ok = said.includes('No schema changes') && snapshot() === before;
  if (!ok) console.error(`${said}\nThe schema and drizzle/ differ: run npm run db:generate.`);
  return { name: 'schema drift', ok };
}

function snapshot(): string {
  const listed = spawnSync('sh', ['-c', 'find drizzle -type f | sort | xargs sha256sum'], {
    encoding: 'utf8',
  });
  return listed.stdout;
}

if (import.meta.main) {
  const failed = runChecks().filter(({ ok }) => !ok);
  for (const { name } of failed) console.error(`failed: ${name}`);
  process.exit(failed.length > 0 ? 1 : 0);
}
