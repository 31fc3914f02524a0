import { Command } from 'commander';
import { registerAssent } from './assent.ts';
import { registerClassify } from './classify.ts';
import { registerEnv } from './env.ts';

const program = new Command('oikos')
  .description('The admin command line of Oikos.')
  .showHelpAfterError()
  .exitOverride((error) => {
    process.exit(error.exitCode);
  });
registerClassify(program);
registerAssent(program);
registerEnv(program);
await program.parseAsync();
