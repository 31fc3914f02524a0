/** Shows what is being started, and how long each part took. */
export interface Steps {
  /** Runs one part and says its seconds when it is there. */
  run<T>(what: string, work: () => Promise<T>): Promise<T>;
  /** A line that is no step. */
  note(line: string): void;
  /** Seconds since the first step. */
  seconds(): number;
}

export interface StepsOutput {
  write(text: string): void;
  /** A terminal: what is still being started is shown in one line that changes. */
  readonly live: boolean;
  /** How wide that line may be. */
  readonly columns: number;
}

/** Several steps may be under way at once; each gets its own line when it ends. */
export function createSteps(output: StepsOutput, now: () => number): Steps {
  const began = now();
  const busy = new Set<string>();
  const erase = () => {
    if (output.live) output.write('\r\x1b[K');
  };
  const showBusy = () => {
    if (output.live && busy.size > 0)
      output.write(`  … ${[...busy].join(', ')}`.slice(0, output.columns - 1));
  };
  const line = (text: string) => {
    erase();
    output.write(`${text}\n`);
    showBusy();
  };
  return {
    note: line,
    seconds: () => (now() - began) / 1000,
    async run(what, work) {
      const started = now();
      busy.add(what);
      erase();
      showBusy();
      try {
        const made = await work();
        busy.delete(what);
        line(`${secondsText(now() - started)}  ${what}`);
        return made;
      } catch (error) {
        busy.delete(what);
        erase();
        throw error;
      }
    },
  };
}

function secondsText(ms: number): string {
  return `${(ms / 1000).toFixed(1).padStart(6)} s`;
}
