/**
 * The socket through which commands on the same machine talk to the process that has a data directory open: DIR/admin.sock, a
 * Unix socket. A client sends lines and receives one line in reply to each, in order.
 * Invariants: whoever can open the file is authorized, and the file is only ever visible with mode 0600: it is bound inside a
 * folder of mode 0700 and renamed into place; an incomplete line is never processed; a client makes this process hold at most
 * LINE_BYTES_MAX plus one read; no action of a client ends the process.
 * Long paths: a socket's path is limited to about 100 bytes. On Linux a longer one is reached through /proc/self/fd.
 * Windows has no such files: nobody listens there, and nobody is found.
 */
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';

export const ADMIN_SOCKET = 'admin.sock';
/** The name under which the socket is bound before it gets its mode and its final name. */
const BESIDE = 'admin.sock.new';

const LINE_BYTES_MAX = 16 * 2 ** 10;
const ANSWER_BYTES_MAX = 64 * 2 ** 20;
const CONNECTIONS_MAX = 64;
/** How long a connection may be idle while no reply is pending. */
const IDLE_MS_MAX = 10_000;
const ANSWER_MS_MAX = 60_000;
/** The limit on all systems: macOS allows 103 bytes and a zero, Linux a few more. */
const SOCKET_PATH_BYTES_MAX = 103;
const NEWLINE = 10;

/** Returns the reply, without a newline, to a line; null = the line is too long. Never rejects. */
export type AnswerLine = (line: string | null) => Promise<string>;

export interface AdminSocket {
  /** Removes the file, stops accepting connections and lets pending replies be sent. */
  close(): Promise<void>;
}

/** Calls `use` with a path of DIR/`name` that is short enough for a socket. */
async function withAddress<T>(dir: string, name: string, use: (address: string) => Promise<T>): Promise<T> {
  const address = path.join(dir, name);
  if (Buffer.byteLength(address) <= SOCKET_PATH_BYTES_MAX) return use(address);
  if (process.platform !== 'linux') throw new Error(`the path ${address} is too long for a socket`);
  const folder = await fs.promises.open(dir, 'r');
  try {
    return await use(`/proc/self/fd/${folder.fd}/${name}`);
  } finally {
    await folder.close();
  }
}

/**
 * Listens in the directory, which this process must have locked. An existing socket file belongs to a dead process and is
 * replaced. null on Windows. Rejects with the system's error if the directory cannot contain a socket.
 */
export async function openAdminSocket(dir: string, answer: AnswerLine): Promise<AdminSocket | null> {
  if (process.platform === 'win32') return null;
  const beside = path.join(dir, BESIDE);
  await fs.promises.rm(beside, { recursive: true, force: true });
  await fs.promises.mkdir(beside, { mode: 0o700 });
  try {
    return await withAddress(dir, `${BESIDE}/s`, async (address) => {
      const socket = await ListeningSocket.open(dir, address, answer);
      try {
        await fs.promises.chmod(path.join(beside, 's'), 0o600);
        await fs.promises.rename(path.join(beside, 's'), path.join(dir, ADMIN_SOCKET));
      } catch (error) {
        await socket.close();
        throw error;
      }
      return socket;
    });
  } finally {
    await fs.promises.rm(beside, { recursive: true, force: true });
  }
}

class ListeningSocket implements AdminSocket {
  readonly #dir: string;
  readonly #answer: AnswerLine;
  readonly #server: net.Server;
  /** Resolves when the connection has ended. */
  readonly #connections = new Map<net.Socket, Promise<void>>();
  /** Connections with a pending reply. */
  readonly #busy = new Set<net.Socket>();
  #closing = false;

  private constructor(dir: string, answer: AnswerLine) {
    this.#dir = dir;
    this.#answer = answer;
    this.#server = net.createServer({ allowHalfOpen: true }, (socket) => {
      const over = this.#serve(socket).finally(() => this.#connections.delete(socket));
      this.#connections.set(socket, over);
    });
    this.#server.maxConnections = CONNECTIONS_MAX;
  }

  static async open(dir: string, address: string, answer: AnswerLine): Promise<ListeningSocket> {
    const socket = new ListeningSocket(dir, answer);
    const server = socket.#server;
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(address, () => {
        server.removeListener('error', reject);
        // A failure to accept a connection affects only its client.
        server.on('error', () => {});
        resolve();
      });
    });
    return socket;
  }

  async #serve(socket: net.Socket): Promise<void> {
    socket.on('error', () => {});
    socket.setTimeout(IDLE_MS_MAX, () => socket.destroy());
    try {
      let rest = Buffer.alloc(0);
      let refused = false;
      for await (const part of socket) {
        // Data after an overlong line is read and dropped, so that the client gets its reply.
        if (refused) continue;
        rest = Buffer.concat([rest, part as Buffer]);
        for (let end = rest.indexOf(NEWLINE); end !== -1; end = rest.indexOf(NEWLINE)) {
          const line = rest.subarray(0, end);
          rest = rest.subarray(end + 1);
          await this.#reply(socket, line.length > LINE_BYTES_MAX ? null : line.toString('utf8'));
          if (this.#closing) return;
        }
        if (rest.length > LINE_BYTES_MAX) {
          refused = true;
          rest = Buffer.alloc(0);
          await this.#reply(socket, null);
          socket.end();
        }
      }
    } catch {
      // The client has disconnected.
    } finally {
      socket.destroy();
    }
  }

  /** Resolves when the reply is on its way; rejects if the client has disconnected. */
  async #reply(socket: net.Socket, line: string | null): Promise<void> {
    this.#busy.add(socket);
    socket.setTimeout(0);
    try {
      const answer = await this.#answer(line);
      socket.setTimeout(IDLE_MS_MAX);
      await new Promise<void>((resolve, reject) => {
        socket.write(`${answer}\n`, (error) => (error ? reject(error) : resolve()));
      });
    } finally {
      this.#busy.delete(socket);
    }
  }

  async close(): Promise<void> {
    if (this.#closing) return;
    this.#closing = true;
    // A remaining file leads nowhere, and the next process replaces it.
    await fs.promises.rm(path.join(this.#dir, ADMIN_SOCKET), { force: true }).catch(() => {});
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    for (const socket of this.#connections.keys()) if (!this.#busy.has(socket)) socket.destroy();
    await Promise.all(this.#connections.values());
    await closed;
  }
}

const isCode = (error: unknown, codes: readonly string[]): boolean =>
  codes.includes((error as NodeJS.ErrnoException).code ?? '');

/**
 * Sends one line to the process that listens in the directory and resolves with its reply, or with null if nobody listens.
 * Rejects with the system's error if this user has no permission. Rejects with an Error if there is no reply, or none within
 * `answerMsMax` (null = no limit): then the command may or may not have been executed.
 */
export async function requestAdminSocket(
  dir: string,
  line: string,
  answerMsMax: number | null = ANSWER_MS_MAX,
): Promise<string | null> {
  if (process.platform === 'win32') return null;
  try {
    return await withAddress(dir, ADMIN_SOCKET, async (address) =>
      exchangeLines(await connect(address), line, answerMsMax),
    );
  } catch (error) {
    // A reset before the connection: the process is stopping and has received nothing.
    if (isCode(error, ['ENOENT', 'ECONNREFUSED', 'ECONNRESET'])) return null;
    throw error;
  }
}

function connect(address: string): Promise<net.Socket> {
  return new Promise((resolve, reject) => {
    const socket = net.connect(address);
    socket.once('error', reject);
    socket.once('connect', () => {
      socket.removeListener('error', reject);
      resolve(socket);
    });
  });
}

function exchangeLines(socket: net.Socket, line: string, answerMsMax: number | null): Promise<string> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    let bytes = 0;
    const fail = (why: string): void => {
      socket.destroy();
      reject(new Error(`the server ${why}; the command may or may not have been executed`));
    };
    if (answerMsMax !== null) {
      socket.setTimeout(answerMsMax, () => fail(`did not reply within ${answerMsMax / 1000} s`));
    }
    socket.on('error', () => fail('ended before it replied'));
    socket.on('close', () => fail('ended before it replied'));
    socket.on('data', (part) => {
      const end = part.indexOf(NEWLINE);
      parts.push(end === -1 ? part : part.subarray(0, end));
      bytes += part.length;
      if (end !== -1) {
        resolve(Buffer.concat(parts).toString('utf8'));
        socket.destroy();
      } else if (bytes > ANSWER_BYTES_MAX) fail('sent too long a reply');
    });
    socket.write(`${line}\n`);
  });
}
