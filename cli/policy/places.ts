import { resolveTarget, type TargetEntity } from '../../shared/domain/target.ts';

/** What was typed is no place, or no value, that the gate's settings can hold. */
export class SettingRefused extends Error {
  override readonly name = 'SettingRefused';
}

/**
 * The name under which a place is kept: the slug of one that the fleet has, else kind and id of a
 * guest that it does not list, `lxc/140`.
 * @throws SettingRefused
 */
export function placeName(written: string, entities: readonly TargetEntity[]): string {
  const resolved = resolveTarget(written, entities);
  if (resolved.ok) return resolved.target.slug;
  const [, kind, vmid] = /^(lxc|vm)[/:]([1-9]\d{2,8})$/.exec(written) ?? [];
  if (kind !== undefined && vmid !== undefined) return `${kind}/${vmid}`;
  throw new SettingRefused(`${resolved.reason}; a guest that is not listed is written lxc/140`);
}
