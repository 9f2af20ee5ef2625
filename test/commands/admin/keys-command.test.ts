import t from 'tap';
import { keysHelp, listText, readKeysLine } from '../../../src/commands/admin/keys-command.js';

const lineOf = (text: string): unknown => {
  const line = readKeysLine(text.split(' ').filter((word) => word !== ''));
  return 'wrong' in line ? line.wrong : { ...line, flags: Object.fromEntries(line.flags) };
};

t.test('arguments and flags become a request, wherever the flags are', (t) => {
  t.strictSame(lineOf('list'), { request: { do: 'list-keys' }, flags: {} });
  t.strictSame(lineOf('--data-dir d list --config=c.toml'), {
    request: { do: 'list-keys' },
    flags: { 'data-dir': 'd', config: 'c.toml' },
  });
  t.strictSame(lineOf('create ci'), {
    request: { do: 'create-key', name: 'ci', permissions: [] },
    flags: {},
  });
  t.match(lineOf('create --permissions delete,list ci'), {
    request: { do: 'create-key', name: 'ci', permissions: ['list', 'delete'] },
  });
  t.match(lineOf('delete ci'), { request: { do: 'delete-key', name: 'ci', force: false } });
  t.match(lineOf('delete --force ci'), { request: { do: 'delete-key', name: 'ci', force: true } });
  t.match(lineOf('rotate write --database quarry'), {
    request: { do: 'rotate-key', kind: 'write', database: 'quarry' },
  });
  t.end();
});

t.test('the message about wrong arguments names them', (t) => {
  const wrongs: readonly [string, RegExp][] = [
    ['', /^keys: expected one of list, create, delete, rotate; see quarry keys --help$/],
    ['make', /^keys: expected one of .*, not "make"/],
    ['constructor', /^keys: expected one of .*, not "constructor"/],
    ['list all', /^keys list takes no arguments$/],
    ['list --force', /^keys list takes no --force$/],
    ['create', /^keys create takes NAME$/],
    ['create a b', /^keys create takes NAME$/],
    ['create a_b/c', /^keys create: expected a name of 1 to 64 .*, not "a_b\/c"$/],
    ['create a --permissions all', /^keys create: expected one of list, update, delete, not "all"$/],
    ['create a --permissions', /--permissions/],
    ['create a --database quarry', /takes no --database/],
    ['delete a --permissions list', /takes no --permissions/],
    ['rotate team --database quarry', /^keys rotate: expected one of master, write, read, demo, not "team"$/],
    ['rotate master', /^keys rotate requires --database NAME$/],
    ['list --unknown', /^Unknown option '--unknown'$/],
    ['list -x', /^Unknown option '-x'$/],
  ];
  for (const [text, wrong] of wrongs) t.match(lineOf(text), wrong, text);
  t.end();
});

t.test('a list has one line per key', (t) => {
  t.equal(
    listText({
      team: [
        { id: 'team-00112233', name: 'first', permissions: ['list', 'update', 'delete'] },
        { id: 'team-44556677', name: 'ci', permissions: [] },
      ],
      databases: [
        {
          name: 'quarry',
          type: 'production',
          keys: [{ id: 'master-01234567' }, { id: 'read-89abcdef' }],
          custom: [],
        },
        {
          name: 'trial',
          type: 'test',
          keys: [{ id: 'demo-fedcba98' }],
          custom: [{ id: 'custom-76543210', name: 'report', level: 'read-only' }],
        },
      ],
    }),
    [
      'team',
      '  team-00112233  first  list,update,delete',
      '  team-44556677  ci  no permissions',
      'database quarry (production)',
      '  master-01234567',
      '  read-89abcdef',
      'database trial (test)',
      '  demo-fedcba98',
      '  custom-76543210  report  read-only',
      '',
    ].join('\n'),
  );
  t.end();
});

t.test('the help text names every subcommand and flag', (t) => {
  for (const word of ['list', 'create NAME', 'delete NAME', 'rotate master|write|read|demo', '--force']) {
    t.ok(keysHelp.includes(word), word);
  }
  for (const flag of ['--permissions', '--database NAME', '--data-dir DIR', '--config FILE']) {
    t.ok(keysHelp.includes(flag), flag);
  }
  t.end();
});
