/** `quarry keys`: team keys, and new keys in the place of those that came with a database. */

import { EXIT, type ExitCode } from '../command.js';
import { type AdminCommandNeeds, DIRECTORY_HELP, runAdminCommand } from './admin-command.js';
import { type CommandLine, readWords, unfitFlag, type Wrong } from './admin-options.js';
import { DATABASE_KEY_KINDS, type ListedKeys, readRequest } from './admin-request.js';

export const keysHelp = `quarry keys list
quarry keys create NAME [--permissions list,update,delete]
quarry keys delete NAME [--force]
quarry keys rotate ${DATABASE_KEY_KINDS.join('|')} --database NAME

  list      every key by its id, the one that log and audit lines name it by: team keys with their permissions, the keys of
            every database by kind, custom keys by name. Never a key's text: only its hash is kept.
  create    makes a team key and prints its text, this once. Every team key may make and change databases, and make
            custom keys, users and permission groups; beyond that:
              list      list custom keys
              update    change custom keys, change and delete users
              delete    delete databases and custom keys
            Without --permissions it has none of them. The key of the first start has all.
  delete    voids a team key; the last one only with --force.
  rotate    makes a new key of that kind for the database, prints its text, this once, and voids the old one in the
            same moment. keys.json, which the first start wrote, is left as it is: it then holds a void key.

  quarry keys list --data-dir /var/lib/quarry
  quarry keys create ci --permissions list,update
  quarry keys rotate read --database quarry

${DIRECTORY_HELP}`;

const FLAGS = {
  permissions: { type: 'string' },
  force: { type: 'boolean' },
  database: { type: 'string' },
} as const;

/** What each subcommand takes: how many words beside itself, which flags. */
const TAKES: Readonly<Record<string, { readonly words: string | null; readonly flags: readonly string[] }>> =
  {
    list: { words: null, flags: [] },
    create: { words: 'NAME', flags: ['permissions'] },
    delete: { words: 'NAME', flags: ['force'] },
    rotate: { words: DATABASE_KEY_KINDS.join('|'), flags: ['database'] },
  };

/** The request that the words and flags make, or what is wrong with them. */
export function readKeysLine(argv: readonly string[]): CommandLine | Wrong {
  const read = readWords(argv, FLAGS);
  if ('wrong' in read) return read;
  const { flags } = read;
  const [what, ...rest] = read.words;
  const takes = what === undefined || !Object.hasOwn(TAKES, what) ? undefined : TAKES[what];
  if (takes === undefined) {
    const given = what === undefined ? '' : `, not ${JSON.stringify(what)}`;
    return { wrong: `keys: one of ${Object.keys(TAKES).join(', ')} is wanted${given}; quarry keys --help` };
  }
  if (rest.length !== (takes.words === null ? 0 : 1)) {
    return { wrong: `keys ${what} takes ${takes.words ?? 'no word more'}` };
  }
  const unfit = unfitFlag(flags, takes.flags);
  if (unfit !== null) return { wrong: `keys ${what} takes no --${unfit}` };
  if (what === 'rotate' && !flags.has('database')) return { wrong: 'keys rotate needs --database NAME' };
  const request = readRequest(wanted(what, rest[0], flags));
  return 'wrong' in request ? { wrong: `keys ${what}: ${request.wrong}` } : { request, flags };
}

function wanted(what: string, word: string | undefined, flags: CommandLine['flags']): unknown {
  switch (what) {
    case 'create': {
      const permissions = flags.get('permissions') ?? '';
      const names = String(permissions).split(',');
      return { do: 'create-key', name: word, permissions: names.filter((name) => name !== '') };
    }
    case 'delete':
      return { do: 'delete-key', name: word, force: flags.has('force') };
    case 'rotate':
      return { do: 'rotate-key', kind: word, database: flags.get('database') };
    default:
      return { do: 'list-keys' };
  }
}

export async function keysCommand(argv: readonly string[], needs: AdminCommandNeeds): Promise<ExitCode> {
  const answer = await runAdminCommand(readKeysLine(argv), needs);
  switch (answer.answer) {
    case 'keys':
      needs.out(listText(answer.keys));
      break;
    case 'key':
      needs.out(`${answer.text}\n`);
      if (answer.voided > 0) needs.note('the old key is void; keys.json was not changed');
      needs.note('this text is shown once and kept nowhere');
      break;
    case 'deleted':
      needs.note('deleted');
      break;
  }
  return EXIT.done;
}

/** One line a key, so that it can be searched: its id, which begins with its kind, its name, what it may. */
export function listText({ team, databases }: ListedKeys): string {
  const lines = [
    'team',
    ...team.map(
      ({ id, name, permissions }) => `  ${id}  ${name}  ${permissions.join(',') || 'no permissions'}`,
    ),
  ];
  for (const { name, type, keys, custom } of databases) {
    lines.push(`database ${name} (${type})`, ...keys.map(({ id }) => `  ${id}`));
    lines.push(...custom.map((key) => `  ${key.id}  ${key.name}  ${key.level}`));
  }
  return `${lines.join('\n')}\n`;
}

export { keysCommand as run, keysHelp as help };
