/**
 * Unusable data directories: in use by another process, of a newer release, of another user, on a read-only disk, in a
 * read-only folder, or not a folder. Every command on each of them ends with the documented exit code and a line with
 * the reason, and changes neither the bytes nor the dates of existing files.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { crc32 } from 'node:zlib';
import type { JsonClient } from '../../support/json-client.js';
import { type CommandResult, ServerProcess } from '../../support/server-process.js';

/** A server may preallocate log files at any time. */
const SPARE = /log-spare-\d+\.tmp$/;

/** The commands by name, with their arguments for a data directory. */
export const COMMANDS: Readonly<Record<string, (dir: string) => readonly string[]>> = {
  serve: (dir) => ['serve', '--data-dir', dir, '--https-port', '0', '--http-port', '0'],
  verify: (dir) => ['verify', dir],
  'keys list': (dir) => ['keys', 'list', '--data-dir', dir],
  'keys create': (dir) => ['keys', 'create', 'another', '--data-dir', dir],
  'account suspended': (dir) => ['account', 'suspended', '--data-dir', dir],
  'retention resume': (dir) => ['retention', 'resume', '--data-dir', dir],
};

/**
 * Everything below `dir`: names, kinds, modes, owners, modification times and contents. The time of the directory
 * itself is omitted, because the pid file of the lock is created and removed in it. For an open store the times of all
 * folders can be omitted.
 */
export function everythingBelow(dir: string, datesOfFolders = true): string[] {
  const lines: string[] = [];
  const visit = (at: string): void => {
    const { mode, uid, gid, size, mtimeNs } = fs.lstatSync(at, { bigint: true });
    const stat = fs.lstatSync(at);
    const content = stat.isSymbolicLink()
      ? fs.readlinkSync(at)
      : stat.isFile()
        ? createHash('sha256').update(fs.readFileSync(at)).digest('hex')
        : '';
    const times = stat.isDirectory() ? (datesOfFolders && at !== dir ? mtimeNs : '') : `${size} ${mtimeNs}`;
    lines.push(`${path.relative(dir, at)} ${mode.toString(8)} ${uid}:${gid} ${times} ${content}`);
    if (stat.isDirectory())
      for (const name of fs.readdirSync(at).sort()) if (!SPARE.test(name)) visit(path.join(at, name));
  };
  visit(dir);
  return lines;
}

/** Description of the error in the refusal of a command; null = none. */
export function refusalFault(
  { code, signal, stdout, output }: CommandResult,
  expected: { readonly code: number; readonly text: RegExp },
): string | null {
  if (code !== expected.code || signal !== null)
    return `exit code ${code ?? signal}, not ${expected.code}: ${output}`;
  if (!expected.text.test(output)) return `${expected.text} is not in: ${output}`;
  if (/^ +at /m.test(output)) return `a stack: ${output}`;
  if (code !== 0 && stdout !== '') return `something for scripts to read: ${stdout}`;
  return null;
}

/** A store with rows, a snapshot, an idempotent write and a later log, closed by a kill; `make` fills it. */
export async function makeStore(
  dir: string,
  clientOf: (server: ServerProcess) => Promise<JsonClient>,
): Promise<void> {
  const server = new ServerProcess({ dir, flags: ['--shards', '2', '--workers', '1'] });
  const client = await clientOf(server);
  const body = (from: number): object => ({
    ...Object.fromEntries(
      Array.from({ length: 50 }, (_, at) => [`e${from + at}`, { n: at, word: `w${at % 7}` }]),
    ),
    'auto-create': ['column'],
  });
  const headers = { 'idempotency-key': 'first' };
  await client.succeed({ path: '/v1/insert', body: body(0), headers });
  server.signal('SIGUSR2');
  await server.wrote('"msg":"checkpoint"');
  await client.succeed({ path: '/v1/insert', body: body(100) });
  client.close();
  await server.kill();
}

/** A copy without leftovers of the killed process; the zeros of log files are not stored. */
export function copyStore(from: string, to: string): void {
  execFileSync('cp', ['-r', '--sparse=always', from, to]);
  for (const name of ['quarry.pid', 'admin.sock']) fs.rmSync(path.join(to, name), { force: true });
  for (const file of filesLike(to, SPARE)) fs.rmSync(file);
}

export function filesLike(dir: string, pattern: RegExp): string[] {
  return fs
    .readdirSync(dir, { recursive: true, withFileTypes: true })
    .flatMap((entry) => (entry.isFile() ? [path.join(entry.parentPath, entry.name)] : []))
    .filter((file) => pattern.test(file))
    .sort();
}

function patch(file: string, headBytes: number, change: (head: Buffer) => void): void {
  const descriptor = fs.openSync(file, 'r+');
  try {
    const head = Buffer.alloc(headBytes === 0 ? fs.fstatSync(descriptor).size : headBytes);
    fs.readSync(descriptor, head, 0, head.length, 0);
    change(head);
    fs.writeSync(descriptor, head, 0, head.length, 0);
  } finally {
    fs.closeSync(descriptor);
  }
}

const raise = (head: Buffer): number => head.writeUInt16LE(head.readUInt16LE(6) + 1, 6);

/** The files with a format version; each gets the next version and matching checksums. */
export const NEWER: Readonly<Record<string, (dir: string) => string>> = {
  'the manifest': (dir) => {
    const file = path.join(dir, 'manifest');
    patch(file, 0, (bytes) => {
      raise(bytes);
      bytes.writeUInt32LE(crc32(bytes.subarray(12), crc32(bytes.subarray(0, 8))), 8);
    });
    return file;
  },
  'a log file': (dir) => {
    const file = filesLike(dir, /\.qlog$/)[0];
    patch(file, 32, (head) => {
      raise(head);
      head.writeUInt32LE(crc32(head.subarray(0, 28)), 28);
    });
    return file;
  },
  'the list of idempotent writes': (dir) => {
    const file = filesLike(dir, /\.qonce$/)[0];
    patch(file, 12, (head) => {
      raise(head);
      head.writeUInt32LE(crc32(head.subarray(0, 8)), 8);
    });
    return file;
  },
};
