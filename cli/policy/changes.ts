import type { Db } from '../../shared/db/client.ts';
import { knownEntities } from '../../shared/db/entities.ts';
import {
  changeGateSetting,
  readGateSettings,
  type SelfSetting,
} from '../../shared/db/gate-settings.ts';
import type { FloorClass } from '../../shared/domain/gate-setting.ts';
import { DEFAULT_POLICY, GATE_POLICY, type GatePolicy } from '../../shared/gate/policy.ts';
import { USUAL_PATHS, USUAL_UNITS } from '../../shared/gate/self.ts';
import type { Sealer } from '../../shared/seal.ts';
import { placeName, SettingRefused } from './places.ts';

/** What a change did, in one line for the person at the keyboard. */
export interface Changed {
  readonly changed: boolean;
  readonly line: string;
}

/** Kinds of names that Oikos can be known by, as they are typed, and the list that holds each. */
export const SELF_KINDS = {
  slug: 'slugs',
  path: 'paths',
  unit: 'units',
  address: 'addresses',
} as const satisfies Record<string, keyof SelfSetting>;
export type SelfKind = keyof typeof SELF_KINDS;

/** Names that count while a list is empty: the first entry keeps them, so that it takes nothing away. */
const USUAL: Partial<Record<SelfKind, readonly string[]>> = {
  path: USUAL_PATHS,
  unit: USUAL_UNITS,
};

/** The gate's settings as one operator changes them; each change is audited and told in the rooms. */
export function policyChanges(db: Db, seals: Sealer, actor: string) {
  const told = (what: string) => `Gate settings, changed by ${actor}: ${what}`;

  const setPolicy = async (written: string, values: readonly string[]): Promise<Changed> => {
    const name = settingName(written);
    const value = settingValue(name, values);
    const line = `${name} is ${showValue(value)} now.`;
    const next = (present: GatePolicy) => checkedPolicy({ ...present, [name]: value });
    const changed = await changeGateSetting(db, seals, {
      key: 'policy',
      next,
      actor,
      line: told(line),
    });
    return { changed, line: changed ? line : `${name} is ${showValue(value)} already.` };
  };

  return {
    setPolicy,

    /** Back to what Oikos ships with. */
    async resetPolicy(written: string): Promise<Changed> {
      const usual = DEFAULT_POLICY[settingName(written)];
      return setPolicy(written, typeof usual === 'boolean' ? [String(usual)] : usual);
    },

    async protect(written: string, floor: FloorClass): Promise<Changed> {
      const name = placeName(written, await knownEntities(db));
      const line = `every change of ${name} counts at least as ${floor} now.`;
      const next = (present: Record<string, FloorClass>) => ({ ...present, [name]: floor });
      const changed = await changeGateSetting(db, seals, {
        key: 'floors',
        next,
        actor,
        line: told(line),
      });
      return { changed, line: changed ? line : `${name} has that floor already.` };
    },

    async unprotect(written: string): Promise<Changed> {
      const entities = await knownEntities(db);
      const { floors } = await readGateSettings(db);
      const name = written in floors ? written : placeName(written, entities);
      const line = `${name} is not protected any more.`;
      const next = (present: Record<string, FloorClass>) =>
        Object.fromEntries(Object.entries(present).filter(([place]) => place !== name));
      const changed = await changeGateSetting(db, seals, {
        key: 'floors',
        next,
        actor,
        line: told(line),
      });
      const ofFile = entities.find(({ slug }) => slug === name)?.attributes.floor;
      const rest = ofFile ? ` fleet.yaml gives it the floor ${ofFile}; that holds.` : '';
      return { changed, line: `${changed ? line : `${name} was not protected here.`}${rest}` };
    },

    async addSelf(kind: SelfKind, written: string): Promise<Changed> {
      const list = SELF_KINDS[kind];
      const value = kind === 'slug' ? placeName(written, await knownEntities(db)) : written;
      const line = `the ${kind} ${value} counts as Oikos's own now.`;
      const next = (present: SelfSetting): SelfSetting => {
        const kept = present[list].length > 0 ? present[list] : (USUAL[kind] ?? []);
        return { ...present, [list]: [...new Set([...kept, value])] };
      };
      const changed = await changeGateSetting(db, seals, {
        key: 'self',
        next,
        actor,
        line: told(line),
      });
      return { changed, line: changed ? line : `${value} is there already.` };
    },

    async removeSelf(kind: SelfKind, value: string): Promise<Changed> {
      const list = SELF_KINDS[kind];
      const line = `the ${kind} ${value} does not count as Oikos's own any more.`;
      const next = (present: SelfSetting): SelfSetting => ({
        ...present,
        [list]: present[list].filter((entry) => entry !== value),
      });
      const changed = await changeGateSetting(db, seals, {
        key: 'self',
        next,
        actor,
        line: told(line),
      });
      return { changed, line: changed ? line : `${value} was not there.` };
    },
  };
}

function settingName(written: string): keyof GatePolicy {
  const names = Object.keys(DEFAULT_POLICY) as (keyof GatePolicy)[];
  const name = names.find((one) => one.toLowerCase() === written.toLowerCase());
  if (name) return name;
  throw new SettingRefused(`there is no setting "${written}"; there are: ${names.join(', ')}`);
}

const WORDS: Readonly<Record<string, boolean>> = { true: true, on: true, false: false, off: false };

function settingValue(name: keyof GatePolicy, values: readonly string[]) {
  if (typeof DEFAULT_POLICY[name] !== 'boolean') return values;
  const value = values.length === 1 ? WORDS[values[0]?.toLowerCase() ?? ''] : undefined;
  if (value === undefined) throw new SettingRefused(`${name} is on or off`);
  return value;
}

function checkedPolicy(policy: unknown): GatePolicy {
  const parsed = GATE_POLICY.safeParse(policy);
  if (parsed.success) return parsed.data;
  throw new SettingRefused(parsed.error.issues.map(({ message }) => message).join('; '));
}

/** A value of a setting for people. */
export function showValue(value: boolean | readonly string[]): string {
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  return value.length === 0 ? 'empty' : value.join(' ');
}
