import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** A line to a server that can be cut and mended: what a restart of that server looks like. */
export interface Cutoff {
  /** The server's URL, by way of this line. */
  readonly url: string;
  /** Ends all connections and refuses new ones. */
  cut(): Promise<void>;
  mend(): Promise<void>;
  close(): Promise<void>;
}

export async function cutoff(target: string): Promise<Cutoff> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  const accept = (socket: Socket) => {
    const onward = connect(Number(port), hostname);
    for (const [one, other] of [
      [socket, onward],
      [onward, socket],
    ] as const) {
      sockets.add(one);
      one.on('error', () => undefined);
      one.on('close', () => {
        sockets.delete(one);
        other.destroy();
      });
      one.pipe(other);
    }
  };
  let server: Server | undefined;
  let own = 0;
  const mend = async () => {
    server = createServer(accept).listen(own, '127.0.0.1');
    await once(server, 'listening');
    own = (server.address() as AddressInfo).port;
  };
  const cut = async () => {
    const open = server;
    server = undefined;
    for (const socket of sockets) socket.destroy();
    if (!open) return;
    open.close();
    await once(open, 'close');
  };
  await mend();
  const url = new URL(target);
  url.hostname = '127.0.0.1';
  url.port = String(own);
  return { url: url.href.replace(/\/$/, ''), cut, mend, close: cut };
}
