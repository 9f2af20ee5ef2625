/** SQL that is refused with 6000 and a source position, or because of the key. */
import type { ApiRequest } from '../../support/json-client.js';
import type { Refusal } from './codes-general.js';
import type { World } from './codes-world.js';

const sql = (text: string, key?: string): ApiRequest => ({
  path: '/v1/sql',
  text,
  headers: { 'content-type': 'application/sql' },
  ...(key === undefined ? {} : { key }),
});

/** The text of the statement, and the text that the message must contain. */
const REFUSED: readonly (readonly [text: string, names: string])[] = [
  ['', 'statement'],
  ['SELEC 1', 'SELEC'],
  ['SELECT nam FROM [default]', 'nam'],
  ['SELECT name FROM nowhere', 'nowhere'],
  ['SELECT name FROM [default] WHERE', ''],
  ["SELECT name FROM [default] WHERE age = 'old'", 'old'],
  ['SELECT name, COUNT(*) FROM [default] GROUP BY age', 'name'],
  ['SELECT name FROM [default] UNION SELECT name, name FROM [default]', 'UNION'],
  ['SELECT * FROM [default] WHERE EXISTS (SELECT nothing FROM [default])', 'nothing'],
  ['SELECT * FROM [default] ORDER BY nothing', 'nothing'],
  ['SELECT nofunction(age) FROM [default]', 'nofunction'],
  ["SELECT CAST(name AS INTEGER) FROM [default] WHERE name = 'ann'", ''],
  ['CREATE INDEX x ON [default] (age)', 'CREATE'],
  ['CREATE TABLE x (a nothing)', 'nothing'],
  ['DROP TABLE [default]', 'default'],
  ['SELECT 1; DELETE FROM [default]', ''],
  ['INSERT INTO [default] (name) VALUES (1)', 'entity-id'],
  ["INSERT INTO [default] ([entity-id], age) VALUES ('u9', 'old')", 'age'],
  ["INSERT INTO [default] ([entity-id], age) VALUES ('u9', 1), ('u9', 2)", 'u9'],
  ["INSERT INTO [default] ([entity-id], nothing) VALUES ('u9', 1)", 'nothing'],
  ["UPDATE [default] SET age = 'old'", 'age'],
  ['UPDATE [default] SET age = nothing + 1', 'nothing'],
  ['DELETE FROM [default] WHERE UPPER(name) = LOWER(nothing)', 'nothing'],
  ["INSERT INTO [default] ([entity-id], age) VALUES ('u9', 1); UPDATE [default] SET nothing = 1", 'nothing'],
  ['SELECT '.padEnd(5_000, '('), ''],
];

export function sqlRefusals({ read, reader, writer }: World): Refusal[] {
  return [
    ...REFUSED.map(([text, names]): Refusal => [6000, sql(text), names]),
    [503, sql('DELETE FROM [default]', read), 'SELECT'],
    [503, sql('what is this', read), 'SELECT'],
    [507, sql("INSERT INTO [default] ([entity-id]) VALUES ('u9')", reader), 'SELECT'],
    [507, sql('SELECT 1', writer), 'write-only'],
    [506, sql('SELECT age FROM [default]', reader), 'age'],
    [506, sql('SELECT COUNT(*) FROM [default] WHERE age > 1', reader), 'age'],
    [506, sql('SELECT name FROM [default] ORDER BY age', reader), 'age'],
    [1500, { path: '/v1/sql', text: 'SELECT 1', headers: { 'content-type': null } }, 'application/sql'],
    [1501, { path: '/v1/sql', text: 'SELECT 1' }, 'application/json'],
  ];
}
