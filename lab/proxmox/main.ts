/** The stand-in's entry: `main.ts NAME ARGS…`, where NAME is the tool that was called. */
import { writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, refused, SILENT } from './answer.ts';

type Tool = (args: readonly string[]) => Answer | Promise<Answer>;

// Loaded one by one: a call pays only for the tool that it is.
const TOOLS: Readonly<Record<string, () => Promise<Tool>>> = {
  pct: async () => (await import('./pct.ts')).pct,
  pvesh: async () => (await import('./pvesh.ts')).pvesh,
  pveversion: async () => (await import('./pvesh.ts')).pveversion,
  qm: async () => (await import('./qm.ts')).qm,
  systemctl: async () => (await import('./systemd.ts')).systemctl,
  journalctl: async () => (await import('./journalctl.ts')).journalctl,
  nginx: async () => (await import('./nginx.ts')).nginx,
  ...Object.fromEntries(
    ['reboot', 'poweroff', 'halt', 'shutdown', 'init'].map((name) => [
      name,
      async () => (await import('./power.ts')).power(name),
    ]),
  ),
  vzdump: async () => (await import('./vzdump.ts')).vzdump,
  'lab-task': async () => (await import('./vzdump.ts')).labTask,
  'lab-boot': async () => (await import('./boot.ts')).bootHost,
  'lab-reset': async () => (await import('./boot.ts')).resetContainer,
  'lab-units': async () => {
    const { startEnabledUnits } = await import('./service.ts');
    return () => {
      startEnabledUnits();
      return SILENT;
    };
  },
};
const PROXMOX_TOOLS = ['pct', 'pvesh', 'qm', 'vzdump'];

async function answer(name: string, args: readonly string[]): Promise<Answer> {
  const load = TOOLS[name];
  if (!load) return refused(`${name}: not in this lab`, 127);
  if (PROXMOX_TOOLS.includes(name)) {
    const { currentFaults } = await import('./store.ts');
    await sleep(currentFaults().toolDelayMs);
  }
  return (await load())(args);
}

/** Whole, also into a pipe whose reader is slow: the process ends right behind it. */
function print(descriptor: number, text: string): void {
  let rest = Buffer.from(text);
  while (rest.length > 0) rest = rest.subarray(writeSync(descriptor, rest));
}

const [, , name = '', ...args] = process.argv;
const { code, out = '', err = '' } = await answer(name, args);
print(1, out);
print(2, err);
process.exit(code);
