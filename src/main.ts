/**
 * The command line: `quarry serve | demo | keys | account | retention | verify`. The only reader of process.env, and the only
 * place that ends the process.
 * Exit codes  0 done; 1 the command failed; 2 wrong options; 3 the data directory is corrupt or of a newer
 * release; 70 the server could not go on (a failed write or fsync of the log).
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Logger, pino } from 'pino';
import { CorruptionError, NewerFormatError, speaksForItself } from './base/index.js';
import { accountCommand, accountHelp } from './commands/account-command.js';
import type { AdminCommandNeeds } from './commands/admin-command.js';
import { backupCommand, backupHelp } from './commands/backup-command.js';
import type { ServeNeeds } from './commands/create-engine.js';
import { demoHelp, runDemoCommand } from './commands/demo-command.js';
import { keysCommand, keysHelp } from './commands/keys-command.js';
import { usableMemoryBytes } from './commands/machine-memory.js';
import { helpText, type Machine } from './commands/options.js';
import { restoreCommand, restoreHelp } from './commands/restore-command.js';
import { retentionCommand, retentionHelp } from './commands/retention-command.js';
import { type RunningServer, startServer } from './commands/serve.js';
import { readOptions } from './commands/serve-config.js';
import { verifyCommand, verifyHelp } from './commands/verify-command.js';

const EXIT = { failed: 1, usage: 2, corrupt: 3, fatal: 70 } as const;
const HERE = path.dirname(fileURLToPath(import.meta.url));

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

function needs(log: Logger): ServeNeeds {
  const simd = process.env.QUARRY_KERNELS !== 'js';
  return {
    log,
    laneFile: path.join(HERE, 'worker/entry.js'),
    kernelsFile: simd ? path.join(HERE, 'kernels/kernels.wasm') : null,
    onFatal: (error) => {
      // Nothing may be acknowledged any more, so not even open requests are finished, and nobody need read why.
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
      ? speaksForItself(error)
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

/**
 * Closes the server on SIGTERM or SIGINT (again: no change) and takes a checkpoint on SIGUSR2. A server that is still
 * starting holds nothing that is not on disk: it just ends.
 */
function obeySignals(running: () => RunningServer | null, log: Logger): void {
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
  process.on('SIGUSR2', () => {
    running()
      ?.checkpoint()
      .catch((error) => log.warn({ error: String(error) }, 'checkpoint failed'));
  });
}

const readText = (file: string): string => fs.readFileSync(file, 'utf8');

async function serve(argv: readonly string[]): Promise<void> {
  const read = readOptions(argv, process.env, { machine: machine(), readText });
  if ('error' in read) usage(read.error);
  for (const warning of read.warnings) fs.writeSync(2, `quarry: ${warning}\n`);
  if (read.action === 'help') process.stdout.write(helpText());
  if (read.action === 'print-config') process.stdout.write(read.text);
  if (read.action === 'check-config') process.stdout.write('the options are valid\n');
  if (read.action !== 'serve') return;
  const { config } = read;
  const log = pino({ level: config.logLevel }, pino.destination({ dest: 2, sync: true }));
  let server: RunningServer | null = null;
  obeySignals(() => server, log);
  server = await startServer(config, needs(log));
  const { httpsPort, httpPort } = server.ports;
  const host = config.host.includes(':') ? `[${config.host}]` : config.host;
  process.stdout.write(`quarry serves https://${host}:${httpsPort} and http://${host}:${httpPort}\n`);
}

async function demo(argv: readonly string[]): Promise<void> {
  const log = pino({ level: 'warn' }, pino.destination({ dest: 2, sync: true }));
  const outcome = await runDemoCommand(argv, machine(), needs(log), process.stdout);
  if ('error' in outcome) usage(outcome.error);
  obeySignals(() => outcome.server, log);
}

function adminNeeds(): AdminCommandNeeds {
  const log = pino({ level: 'warn' }, pino.destination({ dest: 2, sync: true }));
  return {
    env: process.env,
    machine: machine(),
    readText,
    serve: needs(log),
    out: (text) => process.stdout.write(text),
    note: (text) => fs.writeSync(2, `quarry: ${text}\n`),
    usage,
  };
}

const HELP = `quarry: an analytical database server for entities and their events

  quarry serve [options]    start the server (quarry serve --help lists the options)
  quarry demo [options]     load real data into an empty server and ask it a tour of questions
  quarry keys ...           list, make and delete team keys; make new keys for a database
  quarry account [state]    show or set the state of the account
  quarry retention [resume] tell whether expired events go, or let them go again after the clock jumped
  quarry backup TO          copy a store, running or not, into a directory
  quarry restore BACKUP     make a data directory of a backup, as of any moment behind it
  quarry verify DIR         check every checksum of a data directory
  quarry help [command]     print this text, or that of a command
`;

interface Command {
  readonly help: () => string;
  readonly run: (argv: readonly string[]) => Promise<void>;
}

const COMMANDS: Readonly<Record<string, Command>> = {
  serve: { help: helpText, run: serve },
  demo: { help: () => demoHelp, run: demo },
  keys: { help: () => keysHelp, run: (argv) => keysCommand(argv, adminNeeds()) },
  account: { help: () => accountHelp, run: (argv) => accountCommand(argv, adminNeeds()) },
  retention: { help: () => retentionHelp, run: (argv) => retentionCommand(argv, adminNeeds()) },
  backup: { help: () => backupHelp, run: (argv) => backupCommand(argv, adminNeeds()) },
  restore: { help: () => restoreHelp, run: (argv) => restoreCommand(argv, adminNeeds()) },
  verify: {
    help: () => verifyHelp,
    run: async (argv) => {
      process.exitCode = await verifyCommand(argv, process.stdout, usage);
    },
  },
};

function commandNamed(name: string): Command {
  if (Object.hasOwn(COMMANDS, name)) return COMMANDS[name];
  return usage(`unknown command ${JSON.stringify(name)}; quarry --help lists them`);
}

async function main([name = 'help', ...argv]: readonly string[]): Promise<void> {
  if (name === 'help' || name === '--help') {
    if (argv.length > 1) usage('help takes one command at most');
    process.stdout.write(argv.length === 0 ? HELP : commandNamed(argv[0]).help());
    return;
  }
  const command = commandNamed(name);
  if (argv.includes('--help')) process.stdout.write(command.help());
  else await command.run(argv);
}

main(process.argv.slice(2)).catch(fail);
