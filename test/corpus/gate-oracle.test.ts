import type { SyntaxNode } from 'unbash';
import { forEachChild, parse } from 'unbash';
import { describe, expect, it } from 'vitest';
import { builtins, deedsOf } from '../../bench/gate-oracle.ts';
import { corpus } from '../../bench/gate-sandbox.ts';
import { classify, commandsNamed } from '../../shared/gate/classify.ts';
import { PROGRAMS } from '../../shared/gate/commands/index.ts';
import { BASH_FACTS } from '../../shared/gate/facts.ts';

const BUILTINS = builtins();
const STUBS = PROGRAMS.flatMap((program) => program.names);

/** Whether all that it names runs: nothing depends on how a program ends or what it prints. */
function runsThroughout(node: SyntaxNode): boolean {
  if (/^(If|While|For|Case|TestCommand)$/.test(node.type)) return false;
  if (node.type === 'AndOr' && node.operators.includes('||')) return false;
  let through = true;
  forEachChild(node, (child) => {
    through &&= runsThroughout(child);
  });
  return through;
}

function cases() {
  return corpus('everyday').flatMap((line) => {
    const { risk, flags } = classify({ command: line, facts: BASH_FACTS });
    const { byShell, inTurn } = commandsNamed(line);
    const plain = [...byShell].every((name) => !name.includes('/'));
    const fit = risk === 'read_only' && !flags.includes('unbounded') && plain;
    return fit ? [{ line, byShell, inTurn }] : [];
  });
}

describe('real bash', () => {
  it('starts exactly the programs that the tree names, and writes no file', async () => {
    const all = cases();
    const deeds = await deedsOf(
      all.map(({ line }) => line),
      STUBS,
    );
    const wrong: string[] = [];
    let exact = 0;
    all.forEach(({ line, byShell, inTurn }, index) => {
      const started = [...(deeds[index]?.started ?? [])].sort();
      const named = [...byShell].filter((name) => !BUILTINS.has(name)).sort();
      const through = named.length === byShell.size && runsThroughout(parse(line));
      if (through) exact++;
      const agrees = through
        ? started.join() === named.join()
        : started.every((name) => byShell.has(name) || inTurn.has(name));
      if (!agrees) wrong.push(`${line}: started ${started.join()}, named ${named.join()}`);
      if (deeds[index]?.written.length !== 0) wrong.push(`${line}: wrote a file`);
    });
    expect(wrong).toEqual([]);
    expect(exact).toBeGreaterThanOrEqual(300);
  }, 120_000);

  it('is seen to start what nobody named, and to write', async () => {
    const deeds = await deedsOf(['ls; unheard-of', 'ls > x'], ['ls']);
    expect(deeds).toEqual([
      { started: new Set(['ls', 'unheard-of']), written: [] },
      { started: new Set(['ls']), written: ['x'] },
    ]);
  });
});
