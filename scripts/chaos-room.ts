import { spawnSync } from 'node:child_process';

/** Kills the bot 25 times, or as often as the first argument says; CI does it three times. */
const kills = process.argv[2] ?? '25';
const { status } = spawnSync('vitest', ['run', '--project', 'e2e', 'test/e2e/kills.test.ts'], {
  stdio: 'inherit',
  env: { ...process.env, OIKOS_KILLS: kills },
});
process.exitCode = status ?? 1;
