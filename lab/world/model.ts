import { demoScenario } from '../model/scenarios/demo.ts';
import { labelled } from '../model/scenarios/label.ts';
import { MODEL_NAME, startModelServer } from '../model/server.ts';

/** The model that the bot talks to: the offline script, or a real one from the environment. */
export interface DemoModel {
  readonly kind: 'offline' | 'real';
  readonly url: string;
  readonly name: string;
  /** Empty where the endpoint wants none. */
  readonly apiKey: string;
  close(): Promise<void>;
}

export type ModelEnvironment = Readonly<
  Partial<Record<'OPENAI_BASE_URL' | 'OPENAI_API_KEY' | 'OPENAI_MODEL', string | undefined>>
>;

const OPENAI = 'https://api.openai.com/v1';
const DEFAULT_MODEL = 'gpt-5.1';

/** The real model that the environment names; undefined when it names none. */
export function realModel(env: ModelEnvironment): Omit<DemoModel, 'close'> | undefined {
  const { OPENAI_BASE_URL: url, OPENAI_API_KEY: key, OPENAI_MODEL: name } = env;
  if (!(url || key)) return undefined;
  return { kind: 'real', url: url || OPENAI, name: name || DEFAULT_MODEL, apiKey: key || '' };
}

export async function startModel(env: ModelEnvironment): Promise<DemoModel> {
  const real = realModel(env);
  if (real) return { ...real, close: async () => undefined };
  const server = await startModelServer({ scenario: labelled(demoScenario) });
  const { url } = server;
  return {
    kind: 'offline',
    url,
    name: MODEL_NAME,
    apiKey: 'lab-key-without-value',
    close: () => server.close(),
  };
}
