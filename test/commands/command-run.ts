/** Runs a client command in this process against a server and captures its output and exit code. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { PassThrough, Readable, Writable } from 'node:stream';
import type { Test } from 'tap';
import type { CommandContext, ExitCode } from '../../src/commands/command.js';
import type { RunningServer } from '../demo/server.js';

export interface Ran {
  /** null = the command rejected with `error`. */
  readonly code: ExitCode | null;
  readonly out: Buffer;
  readonly err: string;
  readonly error: Error | null;
  /** The message about wrong arguments or flags; null = they are correct. */
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

/** A directory that is removed after the test. */
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
      out: (text) => out.stream.write(text),
      note: (text) => err.stream.write(`${text}\n`),
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

/** A pair of streams that replaces a terminal: the input receives keys, the output is recorded. */
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

  /** Resolves with the output since the last call, up to `text`; rejects if `text` does not appear within 20 s. */
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
      `${JSON.stringify(text)} did not appear; the output is ${JSON.stringify(this.#drawn.slice(this.#looked))}`,
    );
  }
}
