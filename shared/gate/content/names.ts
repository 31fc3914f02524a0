import { literal, type Value } from '../value.ts';
import type { Found } from './files.ts';

/** A package given as a file, which a package manager knows by its slash or its ending. */
export function isPackageFile({ text }: Value): boolean {
  return (
    text !== undefined &&
    !text.includes('://') &&
    /^\.{0,2}\/.*\.(deb|rpm|apk|pkg\.tar\.\w+)$|^[^-].*\.(deb|rpm|apk)$/.test(text)
  );
}

/** systemd's search path for system units, the first one wins. */
const UNIT_FOLDERS = [
  '/etc/systemd/system',
  '/run/systemd/system',
  '/usr/local/lib/systemd/system',
  '/usr/lib/systemd/system',
  '/lib/systemd/system',
];

/** A unit by its path, or every place that systemd would take one of that name from. */
export function unitFiles(unit: Value): Found {
  const use = 'lets it start by itself';
  const { text } = unit;
  if (text === undefined || text.includes('/')) return { files: [unit], use, need: 'one' };
  const named = /\.[a-z]+$/.test(text) ? text : `${text}.service`;
  const template = named.replace(/@[^.]*\./, '@.');
  const names = [...new Set([named, template])];
  const files = UNIT_FOLDERS.flatMap((folder) => names.map((name) => literal(`${folder}/${name}`)));
  // Others than systemd's own folders can hold one, so none need be there.
  return { files, use, need: 'any' };
}
