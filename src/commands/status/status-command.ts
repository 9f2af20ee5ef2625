/** `quarry status`: what a server and its store do and hold at this moment, asked through the admin socket. */
import path from 'node:path';
import { NodeFileSystem } from '../../io/index.js';
import { readStoreConfig, readWords } from '../admin/admin-options.js';
import { askServer } from '../admin/ask-store.js';
import { type CommandNeeds, EXIT, type ExitCode } from '../command.js';
import { stoppedText } from './stopped.js';
import type { StoreStatus } from './store-status.js';
import { statusText } from './text.js';

export const statusHelp = `quarry status [--data-dir DIR] [--json] [--watch]

Tells what the server on DIR does: its release and addresses, how far the log and the last checkpoint are, memory by what
it is for, and every database, dimension and column with what it holds. When no server runs it tells what the files of
the store say, without loading them. Nothing is changed and nobody waits.

  --data-dir DIR   the data directory (default: QUARRY_DATA_DIR, the config file's data-dir, data/store)
  --config FILE    the config file of quarry serve
  --json           one JSON object instead
  --watch          again every two seconds until Ctrl-C

  quarry status --data-dir /var/lib/quarry
  quarry status --json | jq .stats.memory

Exit code 0: a server runs and told; 1: none runs, or it could not be asked; 2: wrong arguments; 3: none runs and the
store is damaged.
`;

const FLAGS = { json: { type: 'boolean' }, watch: { type: 'boolean' } } as const;
const WATCH_MS = 2_000;
const CLEAR_SCREEN = '\x1b[H\x1b[2J\x1b[3J';

export async function statusCommand(argv: readonly string[], needs: CommandNeeds): Promise<ExitCode> {
  const read = readWords(argv, FLAGS);
  if ('wrong' in read) return needs.usage(read.wrong);
  if (read.words.length > 0) return needs.usage('status takes no words, only options');
  const config = readStoreConfig(read.flags, needs);
  if ('wrong' in config) return needs.usage(config.wrong);
  const dir = path.resolve(config.dataDir);
  const json = read.flags.has('json');
  if (!read.flags.has('watch')) return tell(dir, json, needs);
  const stop = needs.interrupted();
  for (;;) {
    if (needs.stdout.isTTY === true && !json) needs.out(CLEAR_SCREEN);
    const code = await tell(dir, json, needs);
    if (stop.aborted) return code;
    await pause(WATCH_MS, stop);
    if (stop.aborted) return EXIT.done;
  }
}

/** Prints the status once. */
async function tell(dir: string, json: boolean, { out }: CommandNeeds): Promise<ExitCode> {
  const fs = new NodeFileSystem();
  if (!(await fs.exists(dir))) throw new Error(`the data directory ${dir} does not exist`);
  const status = await askStatus(dir);
  if (status !== null) {
    out(json ? `${JSON.stringify(status)}\n` : statusText(status));
    return EXIT.done;
  }
  out(await stoppedText(fs, dir, json));
  return EXIT.failed;
}

/** null = nobody listens. */
async function askStatus(dir: string): Promise<StoreStatus | null> {
  const answer = await askServer(dir, { do: 'status' });
  if (answer === null) return null;
  if (answer.answer !== 'status') {
    const why = 'message' in answer ? `: ${answer.message}` : '';
    throw new Error(`the server on ${dir} does not tell its status${why}`);
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
