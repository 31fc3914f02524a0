import type { Client } from 'ssh2';
import { expect, it } from 'vitest';
import { createClients } from './clients.ts';

function connection() {
  const state = { destroyed: 0 };
  const destroy = () => {
    state.destroyed += 1;
  };
  return { client: { destroy } as unknown as Client, state };
}

it('a retired connection lives until the last of what it carries has ended', () => {
  const clients = createClients();
  const { client, state } = connection();
  const [first, second] = [clients.use(client), clients.use(client)];
  clients.retire(client);
  first();
  first();
  expect(state.destroyed).toBe(0);
  second();
  expect(state.destroyed).toBe(1);
});

it('an idle one ends when it is retired, one that is wanted stays', () => {
  const clients = createClients();
  const [idle, wanted] = [connection(), connection()];
  clients.use(wanted.client)();
  clients.retire(idle.client);
  expect([idle.state.destroyed, wanted.state.destroyed]).toEqual([1, 0]);
});

it('at the end all that carry something are ended', () => {
  const clients = createClients();
  const { client, state } = connection();
  clients.use(client);
  clients.destroyAll();
  expect(state.destroyed).toBe(1);
});
