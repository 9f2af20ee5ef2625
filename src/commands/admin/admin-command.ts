/** What `quarry keys`, `quarry account` and `quarry retention` share: from the command line to the answer. */

import type { ServeNeeds } from '../serve/create-engine.js';
import type { ServeConfig } from '../serve/serve-config.js';
import { type CommandLine, readStoreConfig, type StoreOptionsNeeds, type Wrong } from './admin-options.js';
import type { AdminAnswer } from './admin-request.js';
import { askStore } from './ask-store.js';

export interface AdminCommandNeeds extends StoreOptionsNeeds {
  readonly serve: ServeNeeds;
  /** What a script reads: keys, lists, states. */
  readonly out: (text: string) => void;
  /** What a person reads beside it. */
  readonly note: (text: string) => void;
  readonly usage: (text: string) => never;
}

export const DIRECTORY_HELP = `  --data-dir DIR    the data directory (default: QUARRY_DATA_DIR, the config file's data-dir, data/store)
  --config FILE     the config file of quarry serve

Works on a running server, through DIR/admin.sock, and on a stopped one, whose data is loaded for it. Run it as the
user who runs the server. Exit code 0: done; 1: refused, the reason is printed; 2: wrong arguments.
`;

/** The answer when it is no refusal; `watch` may show how far it is. Rejects with an Error that says why it was not done. */
export async function runAdminCommand(
  line: CommandLine | Wrong,
  needs: AdminCommandNeeds,
  watch: <T>(config: ServeConfig, asked: Promise<T>) => Promise<T> = (_config, asked) => asked,
): Promise<Exclude<AdminAnswer, { answer: 'busy' | 'refused' }>> {
  if ('wrong' in line) return needs.usage(line.wrong);
  const config = readStoreConfig(line.flags, needs);
  if ('wrong' in config) return needs.usage(config.wrong);
  const answer = await watch(config, askStore(config, line.request, needs.serve));
  if (answer.answer === 'refused') throw new Error(answer.message);
  return answer;
}
