/** `reboot`, `poweroff`, `halt`, `shutdown` and `init` of the lab host and its containers. */
import { writeFileSync } from 'node:fs';
import { type Answer, refused, SILENT } from './answer.ts';

export type Wish = 'reboot' | 'off';

/** Read by whoever starts the machine again: the lab for its host, the monitor for a container. */
const WISH_FILE = '/var/lib/lab/power';

/** What the call asks for; undefined: nothing that takes the machine down now. */
export function wishOf(name: string, args: readonly string[]): Wish | undefined {
  switch (name) {
    case 'reboot':
      return args.some((arg) => /^(-p|--poweroff|--halt)$/.test(arg)) ? 'off' : 'reboot';
    case 'poweroff':
    case 'halt':
      return args.includes('--reboot') ? 'reboot' : 'off';
    case 'shutdown':
      if (args.includes('-c')) return undefined;
      return args.some((arg) => /^(-\w*r|--reboot)/.test(arg)) ? 'reboot' : 'off';
    case 'init':
      return args[0] === '6' ? 'reboot' : args[0] === '0' ? 'off' : undefined;
    default:
      return undefined;
  }
}

/** The real one answers at once too, and the machine goes down a moment later. */
export function power(name: string): (args: readonly string[]) => Answer {
  return (args) => {
    const wish = wishOf(name, args);
    return wish ? goDown(wish) : refused(`${name}: not in this lab`, 1);
  };
}

export function goDown(wish: Wish): Answer {
  writeFileSync(WISH_FILE, `${wish}\n`);
  process.kill(1, 'SIGTERM');
  return SILENT;
}
