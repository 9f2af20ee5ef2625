/**
 * The process behind the command line: `src/commands/commands.ts` lists the commands. The only reader of process.env,
 * and the only place that ends the process; its exit codes are those of `src/commands/command.ts`.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { isSea } from 'node:sea';
import { fileURLToPath } from 'node:url';
import { type Logger, pino } from 'pino';
import { CorruptionError, isUserError, NewerFormatError } from './base/index.js';
import { type CommandContext, EXIT } from './commands/command.js';
import { COMMAND_TABLE, readInvocation } from './commands/commands.js';
import type { ServerDependencies } from './commands/serve/create-engine.js';
import { usableMemoryBytes } from './commands/serve/machine-memory.js';
import type { Machine } from './commands/serve/options.js';
import type { RunningServer } from './commands/serve/serve.js';
import { releaseOf, versionText } from './commands/version.js';

const HERE = path.dirname(fileURLToPath(import.meta.url));
const ROOT = path.join(HERE, '../..');

function readTextOrNull(file: string): string | null {
  try {
    return fs.readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}

function machine(): Machine {
  return {
    cpuCount: os.availableParallelism(),
    memoryBytes: usableMemoryBytes(os.totalmem(), readTextOrNull),
  };
}

/** Path of the SIMD kernels; null = the server uses the TypeScript kernels. */
const kernelsFile = (): string | null =>
  process.env.QUARRY_KERNELS === 'js' ? null : path.join(HERE, 'kernels/kernels.wasm');

function readKernels(): Uint8Array | null {
  const file = kernelsFile();
  return file === null ? null : fs.readFileSync(file);
}

function serverDependencies(logLevel: string): ServerDependencies {
  return {
    release: releaseOf({ root: ROOT, readText }),
    log: pino({ level: logLevel }, pino.destination({ dest: 2, sync: true })),
    workerFile: path.join(HERE, 'worker/entry.js'),
    parquetThreadFile: path.join(HERE, 'http/parquet/thread.js'),
    kernelsFile: kernelsFile(),
    postgres: {
      threadFile: path.join(HERE, 'pg/catalog/thread.js'),
      templateFile: path.join(HERE, '../postgres-template.tar.gz'),
    },
    consoleDir: path.join(HERE, '../console'),
    onFatal: (error) => {
      // No further write may be acknowledged, so open requests are not finished.
      try {
        fs.writeSync(2, `quarry: fatal: ${error.message}\n`);
      } finally {
        process.exit(EXIT.fatal);
      }
    },
  };
}

function fail(error: unknown): never {
  const corrupt = error instanceof CorruptionError || error instanceof NewerFormatError;
  const text =
    error instanceof Error
      ? isUserError(error)
        ? error.message
        : (error.stack ?? error.message)
      : String(error);
  fs.writeSync(2, `quarry: ${text}\n`);
  process.exit(corrupt ? EXIT.corrupt : EXIT.failed);
}

function usage(text: string): never {
  fs.writeSync(2, `quarry: ${text}\n`);
  process.exit(EXIT.usage);
}

/** Handles a reader that closes the output early, as `head` does. */
function endUnread(error: NodeJS.ErrnoException): never {
  if (error.code !== 'EPIPE') fail(error);
  process.exit(EXIT.done);
}

/**
 * Closes the server on SIGTERM or SIGINT (repeated signals have no effect), takes a checkpoint on SIGUSR2, and reloads the
 * certificate on SIGHUP. If the server runs in a terminal, SIGHUP means that the terminal was closed, and closes the server.
 * A server that is still starting exits at once, because all of its data is on disk.
 */
function obeySignals(running: () => RunningServer | null, log: Logger): void {
  process.stdout.off('error', endUnread);
  // A server continues even if its output is not read.
  process.stdout.on('error', () => {});
  let stopping = false;
  const stop = (signal: string): void => {
    if (stopping) return;
    stopping = true;
    log.info({ signal }, 'stopping');
    const server = running();
    if (server === null) process.exit(0);
    server.close().then(
      () => process.exit(0),
      (error) => fail(error),
    );
  };
  process.on('SIGTERM', () => stop('SIGTERM'));
  process.on('SIGINT', () => stop('SIGINT'));
  process.on('SIGHUP', () => {
    if (process.stdout.isTTY) stop('SIGHUP');
    else reload(running(), log);
  });
  process.on('SIGUSR2', () => {
    running()
      ?.checkpoint()
      .catch((error) => log.warn({ error: String(error) }, 'checkpoint failed'));
  });
}

function reload(server: RunningServer | null, log: Logger): void {
  try {
    server?.reload();
    log.info('the certificate was reloaded');
  } catch (error) {
    log.error({ error: String(error) }, 'the old certificate remains in use');
  }
}

const readText = (file: string): string => fs.readFileSync(file, 'utf8');

/** Aborted by the first SIGINT or SIGTERM; the next one ends the process. */
function interrupted(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => controller.abort(new Error(`ended by ${signal}`)));
  }
  return controller.signal;
}

function commandContext(): CommandContext {
  return {
    env: process.env,
    machine: machine(),
    readText,
    get serve() {
      return serverDependencies('warn');
    },
    commandTable: COMMAND_TABLE,
    release: releaseOf({ root: ROOT, readText }),
    importThreadFile: path.join(HERE, 'commands/import/text/thread.js'),
    self: isSea() ? [process.execPath] : [process.execPath, path.join(HERE, 'main.js')],
    serverDependencies,
    obeySignals,
    interrupted,
    // A getter, because an access to process.stdin keeps it open.
    get stdin() {
      return process.stdin;
    },
    stdout: process.stdout,
    stderr: process.stderr,
    out: (text) => process.stdout.write(text),
    note: (text) => fs.writeSync(2, `quarry: ${text}\n`),
    usage,
  };
}

async function main(argv: readonly string[]): Promise<void> {
  process.stdout.on('error', endUnread);
  const invocation = readInvocation(argv);
  switch (invocation.action) {
    case 'nothing':
      return usage(invocation.wrong);
    case 'print':
      process.stdout.write(invocation.text);
      return;
    case 'help':
      process.stdout.write((await invocation.command.load()).help);
      return;
    case 'version':
      process.stdout.write(versionText({ root: ROOT, readText, readKernels }));
      return;
    case 'run':
      process.exitCode = await (await invocation.command.load()).run(invocation.argv, commandContext());
  }
}

main(process.argv.slice(2)).catch(fail);
