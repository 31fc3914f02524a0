import { botSettings, type ConfigRead, daemonSettings, readConfig } from '../shared/config.ts';
import { sealKeysOf } from '../shared/seal-keys.ts';
import { supervise } from './supervise.ts';

// All that is missing, of both processes at once, before either is started.
const bot = problemsOf(readConfig(botSettings, process.env));
const daemon = problemsOf(readConfig(daemonSettings, process.env));
const problems = [...new Set([...bot, ...daemon])].map((problem) => {
  const both = bot.includes(problem) && daemon.includes(problem);
  return `- ${both ? '' : bot.includes(problem) ? 'bot: ' : 'daemon: '}${problem}`;
});
if (problems.length > 0) {
  console.error(`Oikos cannot start:\n${problems.join('\n')}\nSee .env.example.`);
  process.exit(1);
}
const running = ['daemon', 'bot'].map((name) =>
  supervise({ name, entry: `${name}/main.ts`, env: process.env, output: 'inherit' }),
);
let stopping = false;
const stop = async (code: number) => {
  if (stopping) return;
  stopping = true;
  await Promise.all(running.map((one) => one.stop()));
  process.exit(code);
};
process.on('SIGINT', () => void stop(0));
process.on('SIGTERM', () => void stop(0));
for (const one of running) {
  void one.gaveUp.then((code) => {
    console.error(`The ${one.name} could not start; see above.`);
    void stop(code || 1);
  });
}

function problemsOf(read: ConfigRead<{ readonly sealKeyFile: string }>): readonly string[] {
  if (!read.ok) return read.problems;
  const found = sealKeysOf(read.config.sealKeyFile);
  return found.ok ? [] : [found.problem];
}
