import { spawnSync } from 'node:child_process';
import { classify } from '../shared/gate/classify.ts';
import { BASH_FACTS } from '../shared/gate/facts.ts';
import { corpus } from './gate-sandbox.ts';

const SAMPLE = 300;
const SIZES = [100, 1_000, 8_000, 16_000, 32_000, 64_000] as const;

function timed(lines: readonly string[], act: (line: string) => void): readonly number[] {
  return lines
    .map((line) => {
      const start = performance.now();
      act(line);
      return performance.now() - start;
    })
    .sort((a, b) => a - b);
}

const mean = (times: readonly number[]): number =>
  times.reduce((sum, time) => sum + time, 0) / times.length;
const at = (times: readonly number[], share: number): number =>
  times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0;
const judge = (command: string): void => void classify({ command, facts: BASH_FACTS });
const parseByBash = (command: string): void =>
  void spawnSync('bash', ['--noprofile', '--norc', '-n', '-c', command], { stdio: 'ignore' });

/** The verdict on a corpus, side by side with one `bash -n` a line on a sample of it. */
function compare(name: string): void {
  const lines = corpus(name).filter((line) => !line.includes('⟦'));
  const step = Math.max(1, Math.floor(lines.length / SAMPLE));
  const sample = lines.filter((_, index) => index % step === 0).slice(0, SAMPLE);
  const gate = timed(lines, judge);
  const bash = timed(sample, parseByBash);
  const ratio = mean(bash) / mean(gate);
  console.log(
    `${name.padEnd(10)} gate ${mean(gate).toFixed(3)} ms a command (p99 ${at(gate, 0.99).toFixed(2)}), ` +
      `bash -n ${mean(bash).toFixed(3)} ms: gate takes 1/${ratio.toFixed(1)} of it`,
  );
}

/** How the time grows with the length of the command: times the length, times what. */
function growth(): void {
  const base = 'df -h && ';
  let before: number | undefined;
  for (const size of SIZES) {
    const command = `${base.repeat(Math.floor(size / base.length))}true`;
    for (let warm = 0; warm < 3; warm++) judge(command);
    const time = at(
      timed(
        Array.from({ length: 9 }, () => command),
        judge,
      ),
      0.5,
    );
    const grown =
      before === undefined ? '' : `, ${(time / before).toFixed(1)} times the one before`;
    console.log(`${String(size).padStart(6)} bytes ${time.toFixed(2)} ms${grown}`);
    before = time;
  }
}

corpus('everyday').forEach(judge);
for (const name of ['everyday', 'mutating', 'hostile', 'access']) compare(name);
growth();
