/**
 * The real server as a separate process on a given data directory, which can be started, killed and restarted.
 * Processes are ended by their pid; no process remains after `end` or `kill` has resolved.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../../src/main.js', import.meta.url));
/** Every command of the tests takes less than a tenth of this time. */
const COMMAND_MS_MAX = 60_000;
const SERVES = /quarry serves https:\/\/127\.0\.0\.1:(\d+) and http:\/\/127\.0\.0\.1:(\d+)/;

export interface ServerOptions {
  readonly dir: string;
  /** Arguments after `serve --data-dir DIR --limits off` and free ports. */
  readonly flags?: readonly string[];
  /** 0 = any free port. */
  readonly httpPort?: number;
  /** Runs as this user if the test itself runs as root. */
  readonly uid?: number;
  /** Variables in addition to this process's own environment. */
  readonly env?: Readonly<Record<string, string>>;
  /** The program; by default that of the tree from which the tests run. */
  readonly main?: string;
}

export interface Ending {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface Serving {
  readonly httpsPort: number;
  readonly httpPort: number;
}

export interface Keys {
  readonly team: string;
  readonly master: string;
  readonly write: string;
  readonly read: string;
}

export class ServerProcess {
  readonly dir: string;
  /** Resolves when the process has ended for any reason. */
  readonly ended: Promise<Ending>;
  /** Resolves after the line with both addresses is printed. Rejects with all output if the process ends before. */
  readonly serving: Promise<Serving>;
  readonly #child: ChildProcess;
  #output = '';

  constructor({ dir, flags = [], httpPort = 0, uid, env = {}, main = MAIN }: ServerOptions) {
    this.dir = dir;
    const own = ['--data-dir', dir, '--https-port', '0', '--http-port', String(httpPort), '--limits', 'off'];
    this.#child = spawn(process.execPath, [main, 'serve', ...own, ...flags], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...env },
      ...(uid === undefined ? {} : { uid, gid: uid }),
    });
    let onOutput = (): void => {};
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.on('data', (part: Buffer) => {
        this.#output += part.toString();
        onOutput();
      });
    }
    this.ended = new Promise((resolve) => {
      // 'close' is emitted after the last output.
      this.#child.on('close', (code, signal) => resolve({ code, signal }));
    });
    this.serving = new Promise((resolve, reject) => {
      onOutput = () => {
        const match = SERVES.exec(this.#output);
        if (match === null) return;
        onOutput = () => {};
        resolve({ httpsPort: Number(match[1]), httpPort: Number(match[2]) });
      };
      this.ended.then(({ code, signal }) => {
        reject(
          new Error(`the server ended with ${code ?? signal} before it served; it wrote:\n${this.#output}`),
        );
      });
    });
    // A test that kills a starting server ignores this promise.
    this.serving.catch(() => {});
  }

  get pid(): number {
    return this.#child.pid as number;
  }

  /** Everything written so far, to both outputs. */
  get output(): string {
    return this.#output;
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Sends SIGKILL. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.ended;
  }

  /** Sends SIGTERM and returns the exit code. */
  async end(): Promise<number | null> {
    this.#child.kill('SIGTERM');
    return (await this.ended).code;
  }

  /** Resolves when the output contains `text` or the process has ended. */
  async wrote(text: string): Promise<void> {
    let over = false;
    this.ended.then(() => {
      over = true;
    });
    while (!over && !this.#output.includes(text)) await new Promise((resolve) => setTimeout(resolve, 1));
  }

  /** The keys of the data directory's database; complete once it serves. */
  keys(): Keys {
    const text = fs.readFileSync(path.join(this.dir, 'keys.json'), 'utf8');
    const keys = JSON.parse(text) as { 'team-key': string; database: Record<string, string> };
    const { database } = keys;
    return {
      team: keys['team-key'],
      master: database['master-key'],
      write: database['write-key'],
      read: database['read-key'],
    };
  }
}

export interface CommandResult extends Ending {
  readonly stdout: string;
  /** Both outputs. */
  readonly output: string;
}

/**
 * Runs a `quarry` command for at most a minute (a longer one is killed, which `signal` shows); `env` extends the
 * environment of this process, `uid` is another user (as root). A started server is ended by SIGTERM once it serves.
 */
export function runCommand(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  uid: number | null = null,
): Promise<CommandResult> {
  const child = spawn(process.execPath, [MAIN, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
    ...(uid === null ? {} : { uid, gid: uid }),
  });
  let stdout = '';
  let output = '';
  child.stdout.on('data', (part: Buffer) => {
    stdout += part.toString();
    output += part.toString();
    if (SERVES.test(stdout)) child.kill('SIGTERM');
  });
  child.stderr.on('data', (part: Buffer) => {
    output += part.toString();
  });
  // A command that does not end fails its own test instead of the whole file.
  const overdue = setTimeout(() => child.kill('SIGKILL'), COMMAND_MS_MAX);
  return new Promise((resolve) =>
    child.on('close', (code, signal) => {
      clearTimeout(overdue);
      resolve({ code, signal, stdout, output });
    }),
  );
}

/** A port that was free at the time of the call. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = net.createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as net.AddressInfo;
      server.close(() => resolve(port));
    });
  });
}
