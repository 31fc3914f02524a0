import { Command } from 'commander';
import { printable } from '../shared/printable.ts';
import { registerApprovals } from './approvals/register.ts';
import { registerAssent } from './assent.ts';
import { registerClassify } from './classify.ts';
import { registerDoctor } from './doctor/register.ts';
import { registerEnv } from './env.ts';
import { registerGate } from './gate/register.ts';
import { registerHost } from './host/register.ts';
import { registerMatrix } from './matrix/register.ts';
import { registerModel } from './model/register.ts';
import { registerPeople } from './people/register.ts';
import { registerPolicy } from './policy/register.ts';
import { registerRoom } from './room/register.ts';
import { registerRules } from './rules/register.ts';
import { openTerminal, QuestionInterrupted } from './terminal.ts';

const program = new Command('oikos')
  .description('The admin command line of Oikos.')
  .showHelpAfterError()
  .exitOverride((error) => {
    process.exit(error.exitCode);
  });
const terminal = openTerminal({
  input: process.stdin,
  output: process.stdout,
  errors: process.stderr,
});
// Each command loads its own parts when it runs: SSH and database would treble the start of the others.
const deps = { terminal, env: process.env };
registerClassify(program);
registerAssent(program);
registerEnv(program);
registerDoctor(program, deps);
registerHost(program, deps);
registerMatrix(program, deps);
registerModel(program, deps);
registerRoom(program, deps);
registerPeople(program, deps);
registerApprovals(program, deps);
registerRules(program, deps);
registerPolicy(program, deps);
registerGate(program, deps);
try {
  await program.parseAsync();
} catch (error) {
  if (error instanceof QuestionInterrupted) process.exit(130);
  const why = error instanceof Error ? error.message : String(error);
  process.stderr.write(`oikos: ${printable(why, { newlines: false })}\n`);
  process.exit(1);
}
