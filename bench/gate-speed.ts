import { createRequire } from 'node:module';
import { Language, type Node, Parser } from 'web-tree-sitter';
import { classify } from '../shared/gate/classify.ts';
import { BASH_FACTS } from '../shared/gate/facts.ts';
import { corpus } from './gate-sandbox.ts';
import { long, SHAPES } from './gate-shapes.ts';

const SIZES = [100, 1_000, 8_000, 16_000, 32_000, 64_000] as const;
const LIMIT_MS = 50;
const TIMES = 5;
/** Deep nesting ends tree-sitter's WebAssembly for good: it only gets the shapes that do not nest. */
const GROWING = ['looks', 'different looks', 'pipe of looks', 'words', 'closed for', 'removals'];

type Act = (command: string) => void;

const judge: Act = (command) => void classify({ command, facts: BASH_FACTS });

/** The nearest thing a TypeScript project would otherwise use: a bare parse, and every node seen once. */
async function treeSitter(): Promise<Act> {
  await Parser.init();
  const wasm = createRequire(import.meta.url).resolve('tree-sitter-bash/tree-sitter-bash.wasm');
  const parser = new Parser();
  parser.setLanguage(await Language.load(wasm));
  const visit = (node: Node): void => {
    for (const child of node.children) if (child) visit(child);
  };
  return (command) => {
    const tree = parser.parse(command);
    if (!tree) return;
    visit(tree.rootNode);
    tree.delete();
  };
}

/** Wall-clock milliseconds. */
function timed(act: Act, command: string): number {
  const start = performance.now();
  act(command);
  return performance.now() - start;
}

/** The least of several times: what else runs on the machine only lengthens them. */
const best = (act: Act, command: string): number =>
  Math.min(...Array.from({ length: TIMES }, () => timed(act, command)));

function speed(act: Act, lines: readonly string[]): { perSecond: number; p99: number } {
  const times = lines.map((line) => best(act, line)).sort((a, b) => a - b);
  const whole = times.reduce((sum, time) => sum + time, 0);
  return {
    perSecond: (1000 * lines.length) / whole,
    p99: times[Math.floor(times.length * 0.99)] ?? 0,
  };
}

/** Both on one corpus: commands a second, the slowest hundredth, and how many times as long we take. */
function compare(name: string, bare: Act): void {
  const lines = corpus(name).filter((line) => !line.includes('⟦'));
  for (const act of [judge, bare]) lines.forEach(act);
  const ours = speed(judge, lines);
  const theirs = speed(bare, lines);
  console.log(
    `${name.padEnd(9)} gate ${ours.perSecond.toFixed(0)}/s, p99 ${ours.p99.toFixed(2)} ms; ` +
      `tree-sitter ${theirs.perSecond.toFixed(0)}/s, p99 ${theirs.p99.toFixed(2)} ms; ` +
      `gate takes ${(theirs.perSecond / ours.perSecond).toFixed(2)} times as long`,
  );
}

/** How the time grows with the command, each a row of sizes. */
function growth(name: string, bare: Act): void {
  const shape = SHAPES.find((each) => each.name === name);
  if (!shape) return;
  const row = SIZES.map((size) => {
    const command = long(shape, size);
    const ours = best(judge, command);
    return `${size} B ${ours.toFixed(2)} ms (${(ours / best(bare, command)).toFixed(2)})`;
  });
  console.log(`${name}: ${row.join(', ')}`);
}

/** Time of the processor, for what takes long enough to be measured by it. */
function loadless(act: Act, command: string): number {
  const start = process.threadCpuUsage();
  const wall = best(act, command);
  const { user, system } = process.threadCpuUsage(start);
  return Math.min(wall, (user + system) / 1000 / TIMES);
}

/** The slowest shapes of a size. True when one of them takes longer than a verdict may. */
function worst(size: number): boolean {
  const times = SHAPES.map((shape) => ({
    name: shape.name,
    ms: loadless(judge, long(shape, size)),
  })).sort((a, b) => b.ms - a.ms);
  const shown = times.slice(0, 3).map(({ name, ms }) => `${name} ${ms.toFixed(1)} ms`);
  console.log(`${size} B: ${shown.join(', ')}`);
  return (times[0]?.ms ?? 0) > LIMIT_MS;
}

const bare = await treeSitter();
console.log(
  'Commands of the corpora, side by side with a bare tree-sitter-bash (wasm) parse and walk',
);
for (const name of ['everyday', 'mutating', 'hostile']) compare(name, bare);
console.log('\nGrowth (in brackets: how many times as long as tree-sitter)');
for (const name of GROWING) growth(name, bare);
console.log(
  `\nThe slowest of ${SHAPES.length} kinds of long commands; the limit is ${LIMIT_MS} ms`,
);
const slow = SIZES.filter((size) => worst(size));
if (slow.length > 0) process.exitCode = 1;
