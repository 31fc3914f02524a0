import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { ensureSshd } from '../lab/services/openssh.ts';
import { runChecks } from './check.ts';

// Everything that must hold: checks, then unit, integration and e2e tests on real services.
const PROJECTS = ['unit', 'integration', 'e2e'] as const;
const reportSchema = z.object({
  numPassedTests: z.number(),
  numFailedTests: z.number(),
  numPendingTests: z.number(),
  numTodoTests: z.number(),
  testResults: z.array(z.object({ name: z.string(), status: z.string() })),
});

let passed = 0;
let failed = 0;
ensureSshd();
for (const { name, ok } of runChecks()) {
  if (ok) passed += 1;
  else {
    failed += 1;
    console.error(`failed: ${name}`);
  }
}
const scratch = mkdtempSync(join(tmpdir(), 'oikos-report-'));
for (const project of PROJECTS) runProject(project);
rmSync(scratch, { recursive: true, force: true });
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed > 0 ? 1 : 0);

function runProject(project: (typeof PROJECTS)[number]): void {
  console.log(`— ${project}`);
  const report = join(scratch, `${project}.json`);
  const coverage = project === 'unit' ? ['--coverage'] : [];
  const ran = spawnSync(
    'vitest',
    [
      'run',
      '--project',
      project,
      ...coverage,
      '--reporter=dot',
      '--reporter=json',
      `--outputFile.json=${report}`,
    ],
    { stdio: 'inherit' },
  );
  count(project, report, ran.status);
}

/** A run that reports nothing, skips something, or fails outside any test has failed. */
function count(project: string, report: string, status: number | null): void {
  if (!existsSync(report)) {
    failed += 1;
    console.error(`failed: ${project} left no report`);
    return;
  }
  const result = reportSchema.parse(JSON.parse(readFileSync(report, 'utf8')));
  const skipped = result.numPendingTests + result.numTodoTests;
  const broken = result.testResults.filter((file) => file.status === 'failed').length;
  passed += result.numPassedTests;
  failed += result.numFailedTests + skipped;
  if (skipped > 0) console.error(`failed: ${skipped} tests of ${project} were skipped`);
  if (status !== 0 && result.numFailedTests + skipped === 0) {
    failed += Math.max(1, broken);
    console.error(`failed: ${project} ended with code ${status}`);
  }
}
