/** The real server in a separate process, on free ports and with an empty data directory. */
import { type ChildProcess, spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export interface RunningServer {
  /** The HTTPS address. */
  readonly url: string;
  readonly httpUrl: string;
  /** The self-signed certificate, as PEM. */
  readonly certificate: string;
  readonly masterKey: string;
  readonly writeKey: string;
  readonly readKey: string;
  /** Sends SIGTERM and removes the data directory; resolves with the exit code. */
  stop(): Promise<number | null>;
}

const MAIN = fileURLToPath(new URL('../../src/main.js', import.meta.url));
const READY_MS_MAX = 60_000;

/** Resolves with both addresses as soon as they are printed; rejects with all output if the process ends first. */
function addressesOf(child: ChildProcess): Promise<{ url: string; httpUrl: string }> {
  return new Promise((resolve, reject) => {
    let output = '';
    const fail = (why: string): void => reject(new Error(`${why}; the server wrote:\n${output}`));
    const timer = setTimeout(() => fail('no addresses after 60 s'), READY_MS_MAX);
    const read = (part: Buffer): void => {
      output += part.toString();
      const httpsUrl = /https:\/\/127\.0\.0\.1:\d+/.exec(output);
      const httpUrl = /http:\/\/127\.0\.0\.1:\d+/.exec(output);
      if (httpsUrl === null || httpUrl === null) return;
      clearTimeout(timer);
      resolve({ url: httpsUrl[0], httpUrl: httpUrl[0] });
    };
    child.stdout?.on('data', read);
    child.stderr?.on('data', read);
    child.on('exit', (code) => {
      clearTimeout(timer);
      fail(`the server ended with exit code ${code}`);
    });
  });
}

async function whenReady(httpUrl: string): Promise<void> {
  for (const deadline = Date.now() + READY_MS_MAX; Date.now() < deadline; ) {
    const answer = await fetch(`${httpUrl}/readyz`).catch(() => null);
    if (answer?.status === 200) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('/readyz did not answer 200 within 60 s');
}

/** Starts `quarry serve`; `flags` are added after those that isolate the server. */
export async function startServer(...flags: string[]): Promise<RunningServer> {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'quarry-demo-'));
  const own = ['--data-dir', dir, '--https-port', '0', '--http-port', '0', '--limits', 'off'];
  const child = spawn(process.execPath, [MAIN, 'serve', ...own, ...flags], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise<number | null>((resolve) => child.on('exit', resolve));
  const stop = async (): Promise<number | null> => {
    child.kill('SIGTERM');
    const code = await ended;
    fs.rmSync(dir, { recursive: true, force: true });
    return code;
  };
  try {
    const addresses = await addressesOf(child);
    await whenReady(addresses.httpUrl);
    const { database } = JSON.parse(fs.readFileSync(path.join(dir, 'keys.json'), 'utf8')) as {
      database: Record<'master-key' | 'write-key' | 'read-key', string>;
    };
    return {
      ...addresses,
      certificate: fs.readFileSync(path.join(dir, 'tls/cert.pem'), 'utf8'),
      masterKey: database['master-key'],
      writeKey: database['write-key'],
      readKey: database['read-key'],
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}
