import { z } from 'zod';
import { type ConfigRead, readConfig } from '../shared/config.ts';
import { botFields, commonFields, daemonFields } from '../shared/config-fields.ts';

const FIELDS = { ...commonFields, ...botFields, ...daemonFields };
type Name = keyof typeof FIELDS;
type Shape<N extends Name> = { readonly [K in N]: (typeof FIELDS)[K]['schema'] };

export type Env = Readonly<Record<string, string | undefined>>;

/** Some of the settings, so that a command can work while the others are still missing. */
export function readSettings<N extends Name>(
  env: Env,
  names: readonly N[],
): ConfigRead<z.infer<z.ZodObject<Shape<N>>>> {
  const fields = Object.fromEntries(names.map((name) => [name, FIELDS[name]]));
  const shape = Object.fromEntries(names.map((name) => [name, FIELDS[name].schema])) as Shape<N>;
  return readConfig({ fields, schema: z.object(shape) }, env);
}
