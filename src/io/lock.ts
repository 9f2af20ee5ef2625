/**
 * One process per data directory. The lock is a listening socket, so it ends with its process however that dies,
 * and no stale lock is ever left to judge. The socket's name:
 *   Linux    an abstract Unix socket (no file), named after the directory's device and inode: other paths to the
 *            same directory meet the same lock. Abstract names belong to a network namespace: containers that
 *            share a directory must share that too, or keep apart by other means.
 *   Windows  a named pipe of the same name.
 *   others   a socket file of that name in /tmp (in the directory itself its path may be too long for a socket).
 *            A dead process leaves the file: whoever finds that nobody answers takes it over; two that do so in the
 *            same instant are not told apart.
 * Beside it lies quarry.pid for people to read; nothing is ever decided by it.
 */
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';

export interface DirectoryLock {
  /** Removes quarry.pid and lets the next process in. */
  release(): Promise<void>;
}

/** The directory is in use by another process, which the message names. Nothing was written. */
export class DirectoryInUseError extends Error {}

const isCode = (error: unknown, code: string): boolean => (error as NodeJS.ErrnoException).code === code;

function listen(address: string): Promise<net.Server> {
  return new Promise((resolve, reject) => {
    const server = net.createServer((socket) => socket.destroy());
    server.once('error', reject);
    server.listen(address, () => {
      server.removeListener('error', reject);
      server.on('error', () => {});
      server.unref();
      resolve(server);
    });
  });
}

function answers(address: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = net.connect(address);
    const settle = (value: boolean) => {
      socket.destroy();
      resolve(value);
    };
    socket.once('connect', () => settle(true));
    socket.once('error', () => settle(false));
  });
}

async function listenOnFile(file: string): Promise<net.Server> {
  try {
    return await listen(file);
  } catch (error) {
    if (!isCode(error, 'EADDRINUSE') || (await answers(file))) throw error;
    await fs.promises.unlink(file);
    return listen(file);
  }
}

/** Where the socket lies on systems that have neither abstract sockets nor pipes. */
export const lockFile = (dev: bigint, ino: bigint): string => `/tmp/quarry-${dev}-${ino}.lock`;

async function holderOf(pidFile: string): Promise<string> {
  try {
    const text = (await fs.promises.readFile(pidFile, 'utf8')).trim();
    if (/^\d+$/.test(text)) return `the process with pid ${text}`;
  } catch {
    // The holder has not written it yet, or has just removed it.
  }
  return 'another process';
}

/**
 * Takes the directory (which must exist) for this process. Throws DirectoryInUseError, which names the holder, when
 * another process has it; nothing was written by then.
 */
export async function lockDirectory(
  dir: string,
  platform: NodeJS.Platform = process.platform,
): Promise<DirectoryLock> {
  const { dev, ino } = await fs.promises.stat(dir, { bigint: true });
  const pidFile = path.join(dir, 'quarry.pid');
  let server: net.Server;
  try {
    if (platform === 'linux') server = await listen(`\0quarry-${dev}-${ino}`);
    else if (platform === 'win32') server = await listen(`\\\\.\\pipe\\quarry-${dev}-${ino}`);
    else server = await listenOnFile(lockFile(dev, ino));
  } catch (error) {
    if (!isCode(error, 'EADDRINUSE')) throw error;
    throw new DirectoryInUseError(
      `data directory ${dir} is in use by ${await holderOf(pidFile)}; one process at a time may use it`,
    );
  }
  // On a full disk there is no pid to read, but the lock holds all the same.
  await fs.promises.writeFile(pidFile, `${process.pid}\n`).catch(() => {});
  let released = false;
  return {
    async release() {
      if (released) return;
      released = true;
      // On a disk that takes no writes the file of a dead process stays, and misleads nobody: nothing is decided by it.
      await fs.promises.rm(pidFile, { force: true }).catch(() => {});
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
