import { chmod, readFile, rename, writeFile } from 'node:fs/promises';
import type { z } from 'zod';

/** Atomically, and never readable by others, not even for a moment. */
export async function writePrivate(path: string, value: unknown): Promise<void> {
  const aside = `${path}.${process.pid}`;
  await writeFile(aside, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
  await chmod(aside, 0o600);
  await rename(aside, path);
}

/** Undefined when the file is missing, torn or of another shape. */
export async function readPrivate<T>(path: string, schema: z.ZodType<T>): Promise<T | undefined> {
  const text = await readFile(path, 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  try {
    const read = schema.safeParse(JSON.parse(text));
    return read.success ? read.data : undefined;
  } catch {
    return undefined;
  }
}
