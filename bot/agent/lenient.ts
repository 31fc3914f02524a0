import { parseJson } from './messages.ts';

/** The part of a JSON schema that reading arguments leniently looks at. */
export interface SchemaNode {
  readonly type?: string | readonly string[] | undefined;
  readonly properties?: Readonly<Record<string, SchemaNode>> | undefined;
  readonly required?: readonly string[] | undefined;
  readonly items?: SchemaNode | undefined;
  readonly anyOf?: readonly SchemaNode[] | undefined;
  readonly oneOf?: readonly SchemaNode[] | undefined;
  readonly enum?: readonly unknown[] | undefined;
}

/**
 * Turns what models write into what the schema wants, where the meaning is plain: 0, 1 and "true"
 * as booleans, "135" as a number, 135 as a string, JSON text as an object or list. Anything else
 * is left as it is for the real validation to refuse.
 */
export function readLeniently(value: unknown, schema: SchemaNode): unknown {
  const branches = branchesOf(schema);
  if (branches) return readAnyOf(value, branches);
  switch (schema.type) {
    case 'boolean':
      return toBoolean(value);
    case 'number':
    case 'integer':
      return toNumber(value);
    case 'string':
      return toText(value);
    case 'object':
      return toObject(value, schema);
    case 'array':
      return toList(value, schema);
    default:
      return value;
  }
}

/** The alternatives of a schema, whichever of three ways it spells them. */
function branchesOf(schema: SchemaNode): readonly SchemaNode[] | undefined {
  const { type } = schema;
  if (typeof type === 'object') return type.map((one) => ({ ...schema, type: one }));
  return schema.anyOf ?? schema.oneOf;
}

function readAnyOf(value: unknown, branches: readonly SchemaNode[]): unknown {
  const fitting = branches.find((branch) => fits(value, branch));
  if (fitting) return readLeniently(value, fitting);
  for (const branch of branches) {
    const read = readLeniently(value, branch);
    if (fits(read, branch)) return read;
  }
  return value;
}

function fits(value: unknown, { type, enum: allowed }: SchemaNode): boolean {
  if (allowed && !allowed.includes(value)) return false;
  switch (type) {
    case 'null':
      return value === null;
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isObject(value);
    case 'integer':
      return Number.isInteger(value);
    default:
      return typeof value === type;
  }
}

function toBoolean(value: unknown): unknown {
  const written = typeof value === 'string' ? value.trim().toLowerCase() : value;
  if (written === 1 || written === '1' || written === 'true') return true;
  if (written === 0 || written === '0' || written === 'false') return false;
  return value;
}

function toNumber(value: unknown): unknown {
  return typeof value === 'string' && /^\s*-?\d{1,15}(?:\.\d{1,15})?\s*$/.test(value)
    ? Number(value)
    : value;
}

function toText(value: unknown): unknown {
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;
}

function toObject(value: unknown, schema: SchemaNode): unknown {
  const object = typeof value === 'string' ? (parseJson(value) ?? value) : value;
  if (!isObject(object)) return value;
  const required = schema.required ?? [];
  const entries = Object.entries(object)
    // Models write null for "not given".
    .filter(
      ([name, given]) => given !== null || required.includes(name) || allowsNull(schema, name),
    )
    .map(([name, given]) => {
      const property = schema.properties?.[name];
      return [name, property ? readLeniently(given, property) : given];
    });
  return Object.fromEntries(entries);
}

function allowsNull(schema: SchemaNode, name: string): boolean {
  const property = schema.properties?.[name];
  return (property && branchesOf(property)?.some(({ type }) => type === 'null')) ?? false;
}

function toList(value: unknown, schema: SchemaNode): unknown {
  const list = typeof value === 'string' ? (parseJson(value) ?? value) : value;
  if (!Array.isArray(list)) return value;
  const { items } = schema;
  return items ? list.map((item) => readLeniently(item, items)) : list;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
