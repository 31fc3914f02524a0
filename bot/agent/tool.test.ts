import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createRegistry } from './registry.ts';
import { defineTool, type Tool } from './tool.ts';

const schema = z.object({
  target: z.string(),
  lines: z.number().int().optional(),
  follow: z.boolean().optional(),
  level: z.enum(['low', 'high']).optional(),
  options: z.object({ depth: z.number() }).optional(),
  tags: z.array(z.string()).optional(),
  where: z.union([z.string(), z.array(z.string())]).optional(),
  until: z.string().nullable().optional(),
});

const echo = defineTool({
  name: 'echo',
  description: 'Answers its arguments.',
  schema,
  kind: 'read',
  run: async (args) => ({ text: JSON.stringify(args), origins: ['oikos'] }),
});

async function called(tool: Tool, raw: unknown): Promise<unknown> {
  const prepared = tool.prepare(raw);
  if (!prepared.ok) return prepared.error;
  const call = { key: 't:1', id: 'a', name: tool.name, args: '{}' };
  return JSON.parse((await prepared.run({ call })).text);
}

describe('arguments of a tool', () => {
  it.each([
    ['{"target":135}', { target: '135' }],
    ['{"target":"a","lines":"135"}', { target: 'a', lines: 135 }],
    ['{"target":"a","follow":1}', { target: 'a', follow: true }],
    ['{"target":"a","follow":"false"}', { target: 'a', follow: false }],
    ['{"target":"a","options":"{\\"depth\\":\\"2\\"}"}', { target: 'a', options: { depth: 2 } }],
    ['{"target":"a","tags":"[1,\\"b\\"]"}', { target: 'a', tags: ['1', 'b'] }],
    ['{"target":"a","where":["b"]}', { target: 'a', where: ['b'] }],
    ['{"target":"a","where":7}', { target: 'a', where: '7' }],
    ['{"target":"a","lines":null}', { target: 'a' }],
    ['{"target":"a","until":null}', { target: 'a', until: null }],
    ['"{\\"target\\":\\"a\\"}"', { target: 'a' }],
    ['{"target":"a","unknown":1}', { target: 'a' }],
  ])('%s are read as %j', async (raw, args) => {
    expect(await called(echo, raw)).toEqual(args);
  });

  it.each([
    '{"target":"a","lines":"many"}',
    '{"target":"a","follow":"maybe"}',
    '{}',
    '[1]',
    '{{',
    '7',
  ])('%s are refused with a reason', async (raw) => {
    expect(await called(echo, raw)).toEqual(expect.stringMatching(/\S/));
  });

  it.each(['', 'null', null])('%j counts as no arguments', async (raw) => {
    const tool = defineTool({ ...plain('list'), schema: z.object({}) });
    expect(await called(tool, raw)).toEqual({});
  });
});

describe('a tool’s schema for the model', () => {
  it('is closed and names no dialect', () => {
    expect(echo.parameters).toMatchObject({
      type: 'object',
      required: ['target'],
      additionalProperties: false,
      properties: { options: { additionalProperties: false } },
    });
    expect(echo.parameters).not.toHaveProperty('$schema');
  });

  it('asks for a name that providers accept', () => {
    expect(() => defineTool(plain('Run it'))).toThrow('no tool name');
  });
});

describe('the registry', () => {
  it('sorts tools by name, so that the prefix of every request stays equal', () => {
    const { tools, find } = createRegistry(
      [defineTool(plain('b')), defineTool(plain('a_b'))].toReversed(),
    );
    expect(tools.map(({ name }) => name)).toEqual(['a_b', 'bb']);
    expect(find('a_b')?.name).toBe('a_b');
    expect(find('c')).toBeUndefined();
  });

  it('refuses two tools of one name', () => {
    expect(() => createRegistry([echo, echo])).toThrow('same name');
  });
});

function plain(name: string) {
  return {
    name: name.length === 1 ? name.repeat(2) : name,
    description: 'Does something.',
    schema: z.object({}),
    kind: 'read' as const,
    run: async () => ({ text: '{}', origins: [] }),
  };
}
