import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { renderEnvExample } from '../shared/env-example.ts';

const FILE = fileURLToPath(new URL('../.env.example', import.meta.url));

/** `oikos env`: every setting with its meaning; `--write` refreshes `.env.example`. */
export function registerEnv(program: Command): void {
  program
    .command('env')
    .description('Print all settings as an .env file.')
    .option('--write', 'write .env.example instead')
    .action(({ write }: { write?: boolean }) => {
      if (write) writeFileSync(FILE, renderEnvExample());
      else process.stdout.write(renderEnvExample());
    });
}
