/** `quarry keys`: manages team keys and replaces the keys that were created with a database. */

import { EXIT, type ExitCode } from '../command.js';
import { type AdminCommandContext, DIRECTORY_HELP, runAdminCommand } from './admin-command.js';
import { type CommandLine, readArguments, unfitFlag, type Wrong } from './admin-options.js';
import { DATABASE_KEY_KINDS, type ListedKeys, readRequest } from './admin-request.js';

export const keysHelp = `quarry keys list
quarry keys create NAME [--permissions list,update,delete]
quarry keys delete NAME [--force]
quarry keys rotate ${DATABASE_KEY_KINDS.join('|')} --database NAME

  list      shows every key by its ID, as log and audit lines do: team keys with their permissions, the keys of every
            database by kind, custom keys by name. The text of a key is never shown, because only its hash is stored.
  create    creates a team key and prints its text, only this once. Every team key may create and change databases, and
            create custom keys, users and permission groups. With these permissions, it may also:
              list      list custom keys
              update    change custom keys, change and delete users
              delete    delete databases and custom keys
            Without --permissions it has none of them. The key of the first start has all of them.
  delete    revokes a team key; --force is required for the last one.
  rotate    creates a new key of that kind for the database, prints its text, only this once, and revokes the old key at
            the same time. The keys.json of the first start is not changed, so it then holds a revoked key.

  quarry keys list --data-dir /var/lib/quarry
  quarry keys create ci --permissions list,update
  quarry keys rotate read --database quarry

${DIRECTORY_HELP}`;

const FLAGS = {
  permissions: { type: 'string' },
  force: { type: 'boolean' },
  database: { type: 'string' },
} as const;

/** The argument and the flags of each subcommand; null = no argument. */
const ARGUMENTS_OF: Readonly<
  Record<string, { readonly operand: string | null; readonly flags: readonly string[] }>
> = {
  list: { operand: null, flags: [] },
  create: { operand: 'NAME', flags: ['permissions'] },
  delete: { operand: 'NAME', flags: ['force'] },
  rotate: { operand: DATABASE_KEY_KINDS.join('|'), flags: ['database'] },
};

/** Reads the command line into a request, or returns the reason why it is wrong. */
export function readKeysLine(argv: readonly string[]): CommandLine | Wrong {
  const read = readArguments(argv, FLAGS);
  if ('wrong' in read) return read;
  const { flags } = read;
  const [what, ...rest] = read.positionals;
  const takes = what === undefined || !Object.hasOwn(ARGUMENTS_OF, what) ? undefined : ARGUMENTS_OF[what];
  if (takes === undefined) {
    const suffix = what === undefined ? '' : `, not ${JSON.stringify(what)}`;
    return {
      wrong: `keys: expected one of ${Object.keys(ARGUMENTS_OF).join(', ')}${suffix}; see quarry keys --help`,
    };
  }
  if (rest.length !== (takes.operand === null ? 0 : 1)) {
    return { wrong: `keys ${what} takes ${takes.operand ?? 'no arguments'}` };
  }
  const unfit = unfitFlag(flags, takes.flags);
  if (unfit !== null) return { wrong: `keys ${what} takes no --${unfit}` };
  if (what === 'rotate' && !flags.has('database')) return { wrong: 'keys rotate requires --database NAME' };
  const request = readRequest(wanted(what, rest[0], flags));
  return 'wrong' in request ? { wrong: `keys ${what}: ${request.wrong}` } : { request, flags };
}

function wanted(what: string, argument: string | undefined, flags: CommandLine['flags']): unknown {
  switch (what) {
    case 'create': {
      const permissions = flags.get('permissions') ?? '';
      const names = String(permissions).split(',');
      return { do: 'create-key', name: argument, permissions: names.filter((name) => name !== '') };
    }
    case 'delete':
      return { do: 'delete-key', name: argument, force: flags.has('force') };
    case 'rotate':
      return { do: 'rotate-key', kind: argument, database: flags.get('database') };
    default:
      return { do: 'list-keys' };
  }
}

export async function keysCommand(argv: readonly string[], context: AdminCommandContext): Promise<ExitCode> {
  const answer = await runAdminCommand(readKeysLine(argv), context);
  switch (answer.answer) {
    case 'keys':
      context.out(listText(answer.keys));
      break;
    case 'key':
      context.out(`${answer.text}\n`);
      if (answer.voided > 0) context.note('the old key is no longer valid; keys.json was not changed');
      context.note('the key is shown only this once');
      break;
    case 'deleted':
      context.note('deleted');
      break;
  }
  return EXIT.done;
}

/** One line per key, for grep: its ID, which begins with its kind, its name, its permissions. */
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
