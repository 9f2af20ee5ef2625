/**
 * Allows one process per data directory. The lock is a listening socket, so it ends with its process however that dies, and there
 * are no stale locks. The socket's name:
 *   Linux    an abstract Unix socket (no file), named after the directory's device and inode: other paths to the
 *            same directory find the same lock. Abstract names belong to a network namespace: containers that
 *            share a directory must share the namespace, too, or exclude each other by other means.
 *   Windows  a named pipe of the same name.
 *   others   a socket file of that name in /tmp (in the directory itself its path may be too long for a socket).
 *            A dead process leaves the file: a process that gets no reply takes it over; two that do so at the
 *            same instant do not detect each other.
 * quarry.pid in the directory is for people to read; no decision depends on it.
 */
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';

export interface DirectoryLock {
  /** Removes quarry.pid and releases the lock. */
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

/** The socket file on systems that have neither abstract sockets nor pipes. */
export const lockFile = (dev: bigint, ino: bigint): string => `/tmp/quarry-${dev}-${ino}.lock`;

async function holderOf(pidFile: string): Promise<string> {
  try {
    const text = (await fs.promises.readFile(pidFile, 'utf8')).trim();
    if (/^\d+$/.test(text)) return `the process with pid ${text}`;
  } catch {
    // The owner has not written it yet, or has just removed it.
  }
  return 'another process';
}

/**
 * Locks the directory (which must exist) for this process. Throws DirectoryInUseError, which names the owner, if another process
 * has it; then nothing was written.
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
  // On a full disk there is no pid to read, but the lock is effective.
  await fs.promises.writeFile(pidFile, `${process.pid}\n`).catch(() => {});
  let released = false;
  return {
    async release() {
      if (released) return;
      released = true;
      // On a disk that rejects writes the file of a dead process remains, which is harmless: no decision depends on it.
      await fs.promises.rm(pidFile, { force: true }).catch(() => {});
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
