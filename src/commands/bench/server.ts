/** A server in a separate process on an empty data directory; closing it removes both. */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import type { RemoteAddress } from '../remote/index.js';

export interface BenchServer {
  readonly address: RemoteAddress;
  readonly dataDir: string;
  readonly masterKey: string;
  /** Ends the process and removes the directory. */
  close(): Promise<void>;
}

const SERVES = /quarry serves (https:\S+) and/;

/**
 * `self` is the command that starts this program. `parent` is the folder in which the data directory is made. If the server
 * does not start, rejects with its output and leaves no files.
 */
export async function startBenchServer(
  self: readonly string[],
  parent: string,
  flags: readonly string[],
): Promise<BenchServer> {
  const dataDir = fs.mkdtempSync(path.join(parent, 'quarry-bench-'));
  const own = ['--data-dir', dataDir, '--https-port', '0', '--http-port', '0', '--limits', 'off'];
  const [program, ...args] = self;
  const child = spawn(program, [...args, 'serve', ...own, '--log-level', 'warn', ...flags], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  let onOutput = (): void => {};
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (part: Buffer) => {
      output += part.toString();
      onOutput();
    });
  }
  const ended = new Promise<void>((resolve) => {
    child.on('error', (error) => {
      output += error.message;
      resolve();
    });
    child.on('close', () => resolve());
  });
  const close = async (): Promise<void> => {
    child.kill('SIGTERM');
    await ended;
    fs.rmSync(dataDir, { recursive: true, force: true });
  };
  const url = await new Promise<string | null>((resolve) => {
    onOutput = () => {
      const match = SERVES.exec(output);
      if (match !== null) resolve(match[1]);
    };
    ended.then(() => resolve(null));
  });
  if (url === null) {
    await close();
    throw new Error(`the server did not start:\n${output.trim()}`);
  }
  try {
    const read = (name: string): string => fs.readFileSync(path.join(dataDir, name), 'utf8');
    const keys = JSON.parse(read('keys.json')) as { database: Record<string, string> };
    return {
      address: { url, certificate: read('tls/cert.pem') },
      dataDir,
      masterKey: keys.database['master-key'],
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
