import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { z } from 'zod';
import { ensureBusybox } from '../lab/services/busybox.ts';
import { ensureSshd } from '../lab/services/openssh.ts';
import { runChecks } from './check.ts';

// Everything that must hold: checks, then unit, integration and e2e tests on real services.
const PROJECTS = ['unit', 'integration', 'e2e'] as const;
const reportSchema = z.object({
  numPassedTests: z.number(),
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      assertionResults: z.array(z.object({ fullName: z.string(), status: z.string() })),
    }),
  ),
});

let passed = 0;
/** What failed, in words: told once more at the end, where a log that was cut short still shows it. */
const failures: string[] = [];
ensureSshd();
/** The only tests that may be skipped, and why they are; undefined: none may. */
const untried =
  ensureBusybox() === undefined
    ? {
        file: 'daemon/runner/runner-busybox.test.ts',
        why: 'not tried: detached runs under busybox (apt-get install busybox-static)',
      }
    : undefined;
for (const { name, ok } of runChecks()) {
  if (ok) passed += 1;
  else failures.push(name);
}
const scratch = mkdtempSync(join(tmpdir(), 'oikos-report-'));
for (const project of PROJECTS) runProject(project);
rmSync(scratch, { recursive: true, force: true });
if (untried) console.error(untried.why);
for (const failure of failures) console.error(`failed: ${failure}`);
console.log(`${passed} passed, ${failures.length} failed`);
process.exit(failures.length > 0 ? 1 : 0);

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
    failures.push(`${project} left no report`);
    return;
  }
  const { numPassedTests, testResults } = reportSchema.parse(
    JSON.parse(readFileSync(report, 'utf8')),
  );
  passed += numPassedTests;
  const before = failures.length;
  for (const { name, status: outcome, assertionResults } of testResults) {
    const file = relative(process.cwd(), name);
    const allowed = file === untried?.file ? ['passed', 'skipped'] : ['passed'];
    const unpassed = assertionResults.filter((test) => !allowed.includes(test.status));
    failures.push(...unpassed.map((test) => `${file}: ${test.fullName} (${test.status})`));
    if (outcome === 'failed' && unpassed.length === 0) failures.push(`${file} (outside its tests)`);
  }
  // Coverage below its limits, or an error that no test awaited.
  if (status !== 0 && failures.length === before) {
    failures.push(`${project} ended with code ${status}; why stands above`);
  }
}
