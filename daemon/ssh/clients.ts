import type { Client } from 'ssh2';

/** The connections of a pool, and what each carries. */
export interface Clients {
  /** Counts one user; the answer ends that, once however often it is called. */
  use(client: Client): () => void;
  /** For no new work: it ends when what it carries has ended, so that a slow answer cuts no run off. */
  retire(client: Client): void;
  destroyAll(): void;
}

export function createClients(): Clients {
  const users = new Map<Client, number>();
  const retired = new Set<Client>();

  const endIfIdle = (client: Client) => {
    if ((users.get(client) ?? 0) > 0) return;
    users.delete(client);
    if (retired.delete(client)) client.destroy();
  };
  return {
    use(client) {
      users.set(client, (users.get(client) ?? 0) + 1);
      let used = true;
      return () => {
        if (!used) return;
        used = false;
        users.set(client, (users.get(client) ?? 1) - 1);
        endIfIdle(client);
      };
    },
    retire(client) {
      retired.add(client);
      endIfIdle(client);
    },
    destroyAll() {
      for (const client of [...users.keys(), ...retired]) client.destroy();
    },
  };
}
