import t from 'tap';
import { type AdminRequest, readRequest } from '../../../src/commands/admin/admin-request.js';

const WELL_FORMED: readonly AdminRequest[] = [
  { do: 'list-keys' },
  { do: 'create-key', name: 'a', permissions: [] },
  { do: 'create-key', name: `9${'x'.repeat(63)}`, permissions: ['list', 'update', 'delete'] },
  { do: 'delete-key', name: 'A.b-c_d', force: false },
  { do: 'rotate-key', kind: 'demo', database: 'any text: a database is looked for' },
  { do: 'account', state: null },
  { do: 'retention', resume: true },
  { do: 'retention', resume: false },
  { do: 'backup', to: '/mnt/monday' },
  { do: 'account', state: 'banned' },
  { do: 'status' },
  { do: 'address' },
];

/** Invalid values of each field; `undefined` omits the field. */
const WRONG: Readonly<Record<string, readonly unknown[]>> = {
  do: [undefined, null, 1, '', 'keys', 'constructor', ['list-keys']],
  name: [undefined, null, 7, '', '-x', '.x', 'a b', 'ä', 'a\n', 'x'.repeat(65), ['a']],
  permissions: [undefined, null, 'list', ['all'], [1], [['list']], {}],
  force: [undefined, null, 'true', 0],
  kind: [undefined, null, 'team', 'custom', 'Master', 1],
  database: [undefined, null, 1, ['quarry']],
  resume: [undefined, null, 'true', 1],
  to: [undefined, null, '', 'monday', './monday', 1, '/mnt/\0'],
  state: [undefined, '', 'Active', 1000, 'constructor'],
};

t.test('well-formed requests are accepted unchanged', (t) => {
  for (const request of WELL_FORMED) t.strictSame(readRequest(JSON.parse(JSON.stringify(request))), request);
  t.strictSame(
    readRequest({ do: 'create-key', name: 'a', permissions: ['delete', 'list', 'delete'] }),
    { do: 'create-key', name: 'a', permissions: ['list', 'delete'] },
    'permissions are listed once each, in a fixed order',
  );
  t.end();
});

t.test('a request with a wrong, missing or unknown field is refused', (t) => {
  for (const request of WELL_FORMED) {
    for (const field of Object.keys(request)) {
      for (const value of WRONG[field]) {
        const wrong = readRequest({ ...request, [field]: value });
        t.ok(
          'wrong' in wrong && wrong.wrong.length < 400,
          `${JSON.stringify(request)} with ${field} ${value}`,
        );
      }
    }
    t.match(readRequest({ ...request, more: 1 }), { wrong: /takes no "more"/ });
  }
  for (const value of [null, 1, 'list-keys', [], [{ do: 'list-keys' }]]) {
    t.strictSame(readRequest(value), { wrong: 'a request is a JSON object' });
  }
  t.end();
});
