/** A command of the client's run in this process against a server: what it wrote, and how it ended. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { PassThrough, Readable, Writable } from 'node:stream';
import type { Test } from 'tap';
import type { CommandContext, ExitCode } from '../../src/commands/command.js';
import type { RunningServer } from '../demo/server.js';

export interface Ran {
  /** null = it rejected, with `error`. */
  readonly code: ExitCode | null;
  readonly out: Buffer;
  readonly err: string;
  readonly error: Error | null;
  /** What it said of its words and flags. */
  readonly wrong: string | null;
}

type Command = (argv: readonly string[], context: CommandContext) => Promise<ExitCode>;

export type Run = (argv: readonly string[], input?: string) => Promise<Ran>;

class UsageError extends Error {}

function collector(): { readonly stream: Writable; readonly bytes: () => Buffer } {
  const parts: Buffer[] = [];
  const stream = new Writable({
    write(part, _encoding, done) {
      parts.push(Buffer.from(part));
      done();
    },
  });
  return { stream, bytes: () => Buffer.concat(parts) };
}

/** A directory that goes with the test. */
export function directoryFor(t: Test): string {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'quarry-client-'));
  t.teardown(() => fs.rmSync(dir, { recursive: true }));
  return dir;
}

/** Runs `command` with the server's address and master key in its environment. */
export function runnerOf(
  command: Command,
  server: Pick<RunningServer, 'url' | 'certificate' | 'masterKey'>,
  dir: string,
): Run {
  const ca = path.join(dir, 'ca.pem');
  fs.writeFileSync(ca, server.certificate);
  return async (argv, input = '') => {
    const [out, err] = [collector(), collector()];
    const context: Partial<CommandContext> = {
      env: { QUARRY_URL: server.url, QUARRY_API_KEY: server.masterKey, QUARRY_CA: ca, HOME: dir },
      machine: { cpuCount: 1, memoryBytes: 2 ** 30 },
      readText: (file) => fs.readFileSync(file, 'utf8'),
      interrupted: () => new AbortController().signal,
      stdin: Readable.from([Buffer.from(input)]),
      stdout: out.stream,
      stderr: err.stream,
      usage(text) {
        throw new UsageError(text);
      },
    };
    const ended = await command(argv, context as CommandContext).catch((error: Error) => error);
    const error = ended instanceof Error ? ended : null;
    return {
      code: ended instanceof Error ? null : ended,
      out: out.bytes(),
      err: err.bytes().toString('utf8'),
      error: error instanceof UsageError ? null : error,
      wrong: error instanceof UsageError ? error.message : null,
    };
  };
}

/** A pair of streams in the place of a terminal: keys go in, and what is drawn comes out. */
export class FakeTerminal {
  readonly input = new PassThrough();
  readonly output: PassThrough & { columns: number; isTTY: boolean };
  #drawn = '';
  #looked = 0;

  constructor(columns: number) {
    this.output = Object.assign(new PassThrough(), { columns, isTTY: true });
    this.output.on('data', (part: Buffer) => {
      this.#drawn += part.toString('utf8');
    });
  }

  get drawn(): string {
    return this.#drawn;
  }

  /** Resolves with what was drawn since the last call, up to `text`; rejects when it does not come within 20 s. */
  async until(text: string): Promise<string> {
    for (const deadline = Date.now() + 20_000; Date.now() < deadline; ) {
      const at = this.#drawn.indexOf(text, this.#looked);
      if (at !== -1) {
        const seen = this.#drawn.slice(this.#looked, at + text.length);
        this.#looked = at + text.length;
        return seen;
      }
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    throw new Error(
      `${JSON.stringify(text)} was not drawn, but ${JSON.stringify(this.#drawn.slice(this.#looked))}`,
    );
  }
}
