/** `quarry status`: prints the status of a server and its store, requested through the admin socket. */
import path from 'node:path';
import { NodeFileSystem } from '../../io/index.js';
import { readArguments, readStoreConfig } from '../admin/admin-options.js';
import { requestServer } from '../admin/administer-store.js';
import { type CommandContext, EXIT, type ExitCode } from '../command.js';
import { stoppedText } from './stopped.js';
import type { StoreStatus } from './store-status.js';
import { statusText } from './text.js';

export const statusHelp = `quarry status [--data-dir DIR] [--json] [--watch]

Prints the status of the server on DIR: its release and addresses, the positions of the log and the last checkpoint, memory
by use, and every database, dimension and column with its counts. When no server runs, it prints a summary of the files of
the store, without loading them. The command changes nothing and delays no request.

  --data-dir DIR   the data directory (default: QUARRY_DATA_DIR, the config file's data-dir, data/store)
  --config FILE    the config file of quarry serve
  --json           print one JSON object instead of text
  --watch          repeat every two seconds until Ctrl-C

  quarry status --data-dir /var/lib/quarry
  quarry status --json | jq .stats.memory

Exit code 0: a server runs and answered; 1: no server runs, or it did not answer; 2: wrong arguments; 3: no server runs
and the store is damaged.
`;

const FLAGS = { json: { type: 'boolean' }, watch: { type: 'boolean' } } as const;
const WATCH_MS = 2_000;
const CLEAR_SCREEN = '\x1b[H\x1b[2J\x1b[3J';

export async function statusCommand(argv: readonly string[], context: CommandContext): Promise<ExitCode> {
  const read = readArguments(argv, FLAGS);
  if ('wrong' in read) return context.usage(read.wrong);
  if (read.positionals.length > 0) return context.usage('status takes no arguments, only options');
  const config = readStoreConfig(read.flags, context);
  if ('wrong' in config) return context.usage(config.wrong);
  const dir = path.resolve(config.dataDir);
  const json = read.flags.has('json');
  if (!read.flags.has('watch')) return tell(dir, json, context);
  const stop = context.interrupted();
  for (;;) {
    if (context.stdout.isTTY === true && !json) context.out(CLEAR_SCREEN);
    const code = await tell(dir, json, context);
    if (stop.aborted) return code;
    await pause(WATCH_MS, stop);
    if (stop.aborted) return EXIT.done;
  }
}

/** Prints the status once. */
async function tell(dir: string, json: boolean, { out }: CommandContext): Promise<ExitCode> {
  const fs = new NodeFileSystem();
  if (!(await fs.exists(dir))) throw new Error(`the data directory ${dir} does not exist`);
  const status = await requestStatus(dir);
  if (status !== null) {
    out(json ? `${JSON.stringify(status)}\n` : statusText(status));
    return EXIT.done;
  }
  out(await stoppedText(fs, dir, json));
  return EXIT.failed;
}

/** Requests the status; null = no server listens. */
async function requestStatus(dir: string): Promise<StoreStatus | null> {
  const answer = await requestServer(dir, { do: 'status' });
  if (answer === null) return null;
  if (answer.answer !== 'status') {
    const why = 'message' in answer ? `: ${answer.message}` : '';
    throw new Error(`the server on ${dir} does not report its status${why}`);
  }
  return answer.status;
}

function pause(ms: number, stop: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    stop.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

export { statusCommand as run, statusHelp as help };
