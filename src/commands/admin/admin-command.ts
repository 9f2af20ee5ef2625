/** The part that `quarry keys`, `account`, `retention` and `backup` share: from the command line to the answer. */

import type { ServerDependencies } from '../serve/create-engine.js';
import type { ServeConfig } from '../serve/serve-config.js';
import { type CommandLine, readStoreConfig, type StoreOptionsContext, type Wrong } from './admin-options.js';
import type { AdminAnswer } from './admin-request.js';
import { administerStore } from './administer-store.js';

export interface AdminCommandContext extends StoreOptionsContext {
  readonly serve: ServerDependencies;
  /** Writes output for scripts: keys, lists, states. */
  readonly out: (text: string) => void;
  /** Writes messages for people. */
  readonly note: (text: string) => void;
  readonly usage: (text: string) => never;
}

export const DIRECTORY_HELP = `  --data-dir DIR    the data directory (default: QUARRY_DATA_DIR, the config file's data-dir, data/store)
  --config FILE     the config file of quarry serve

The command works on a running server, through DIR/admin.sock, and on a stopped one, whose data it loads. Run it as the
user who runs the server. Exit code 0: done; 1: refused, the reason is printed; 2: wrong arguments.
`;

/** Returns the answer; `watch` may show progress. Rejects with an Error that gives the reason if the request is refused. */
export async function runAdminCommand(
  line: CommandLine | Wrong,
  context: AdminCommandContext,
  watch: <T>(config: ServeConfig, pending: Promise<T>) => Promise<T> = (_config, pending) => pending,
): Promise<Exclude<AdminAnswer, { answer: 'busy' | 'refused' }>> {
  if ('wrong' in line) return context.usage(line.wrong);
  const config = readStoreConfig(line.flags, context);
  if ('wrong' in config) return context.usage(config.wrong);
  const answer = await watch(config, administerStore(config, line.request, context.serve));
  if (answer.answer === 'refused') throw new Error(answer.message);
  return answer;
}
