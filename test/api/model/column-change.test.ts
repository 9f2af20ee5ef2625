import t from 'tap';
import {
  changeColumn,
  createColumns,
  createRelation,
  deleteColumn,
  type Json,
} from '../../../src/api/index.js';
import { applyChanges, type Catalog, databaseOf } from '../../../src/catalog/index.js';
import type { Column, DatabaseModel } from '../../../src/schema/index.js';
import { decided, emptyCatalog, json } from '../databases.js';
import { assertAllRefusals, assertRefusals, type Refusal } from '../refusals.js';

const COLUMNS = json(`[
  {"name":"Age of it","api-name":"a","type":"integer","description":"years"},
  {"name":"e","type":"string-event","retention-time":9},
  {"name":"f","type":"string-event"},
  {"name":"Other","api-name":"a","type":"enumerated","range":[1,2],"dimension":"other"}
]`);
const CATALOG = decided(
  decided(emptyCatalog(), (model) => createColumns(COLUMNS, model)),
  (model) => createRelation(json('{"name":"pair","columns":["e","f"]}'), model),
);
const MODEL = databaseOf(CATALOG, 1);

const change = (body: Json, model: DatabaseModel = MODEL) => changeColumn(body, model);
const columnOf = (catalog: Catalog, dimension: string, apiName: string): Column | undefined =>
  databaseOf(catalog, 1).dimensions.get(dimension)?.columns.get(apiName);

t.test('a change affects only the fields given, in the dimension named', async (t) => {
  const before = columnOf(CATALOG, 'default', 'a') as Column;
  const cases: readonly [string, Partial<Column>][] = [
    ['"name":"Years_1"', { name: 'Years_1' }],
    ['"description":"none"', { description: 'none' }],
    ['"description":null', { description: '' }],
    ['"active":false', { active: false }],
    ['"active":false,"name":"b","description":""', { active: false, name: 'b', description: '' }],
  ];
  for (const [fields, changed] of cases) {
    const { changes, answer } = change(json(`{"api-name":"a",${fields}}`));
    t.strictSame(answer, { 'api-name': ['a'] });
    const after = applyChanges(CATALOG, changes);
    t.strictSame(columnOf(after, 'default', 'a'), { ...before, ...changed }, fields);
    t.strictSame(columnOf(after, 'other', 'a'), columnOf(CATALOG, 'other', 'a'));
  }
  const other = decided(CATALOG, (model) =>
    change(json('{"api-name":"a","dimension":"other","name":"x"}'), model),
  );
  t.strictSame(columnOf(other, 'default', 'a'), before);
  t.equal(columnOf(other, 'other', 'a')?.name, 'x');
  t.equal(databaseOf(other, 1).shrinkVersion, databaseOf(other, 1).version);
});

t.test('the retention time of an event column changes to days and to forever', async (t) => {
  const before = columnOf(CATALOG, 'default', 'e') as Column;
  for (const [value, retentionDays] of [
    ['3', 3],
    ['700', 700],
    ['"forever"', null],
  ] as const) {
    const { changes } = change(json(`{"api-name":"e","retention-time":${value}}`));
    t.strictSame(columnOf(applyChanges(CATALOG, changes), 'default', 'e'), { ...before, retentionDays });
  }
  t.strictSame(change(json('{"api-name":"e","retention-time":9}')).changes, [], 'the same days');
  t.strictSame(change(json('{"api-name":"f","retention-time":"forever"}')).changes, [], 'still forever');
  const both = change(json('{"api-name":"f","retention-time":1,"active":false}'));
  t.match(columnOf(applyChanges(CATALOG, both.changes), 'default', 'f'), { retentionDays: 1, active: false });
});

t.test('a reactivated column is unchanged, and a request that changes nothing logs no change', async (t) => {
  const asleep = decided(CATALOG, (model) => change(json('{"api-name":"e","active":false}'), model));
  t.equal(columnOf(asleep, 'default', 'e')?.active, false);
  const awake = decided(asleep, (model) => change(json('{"api-name":"e","active":true}'), model));
  t.strictSame(columnOf(awake, 'default', 'e'), columnOf(CATALOG, 'default', 'e'));
  const same = change(json('{"api-name":"a","name":"Age of it","description":"years","active":true}'));
  t.strictSame(same, { changes: [], answer: { 'api-name': ['a'] } });
});

t.test(
  'a deleted column disappears from its dimension and its relation alone, together with its id',
  async (t) => {
    const gone = decided(CATALOG, (model) => deleteColumn(json('{"api-name":"e"}'), model));
    t.equal(columnOf(gone, 'default', 'e'), undefined);
    t.strictSame(databaseOf(gone, 1).dimensions.get('default')?.relations.get('pair')?.columnIds, [3]);
    const { changes, answer } = deleteColumn(json('{"api-name":"a","dimension":"other"}'), MODEL);
    t.strictSame(answer, { 'api-name': ['a'] });
    const other = applyChanges(CATALOG, changes);
    t.strictSame(
      [columnOf(other, 'other', 'a'), columnOf(other, 'default', 'a')?.id],
      [undefined, columnOf(CATALOG, 'default', 'a')?.id],
    );
    const again = decided(gone, (model) => createColumns(json('{"name":"e","type":"string-event"}'), model));
    t.equal(columnOf(again, 'default', 'e')?.id, 6);
  },
);

const BOTH: readonly Refusal[] = [
  ['a list', '[{"api-name":"a"}]', 3000, 'a list'],
  ['a body that is not an object', '"a"', 3000, 'a string'],
  ['no api-name', '{"name":"x"}', 3000, 'name"'],
  ['a null api-name', '{"api-name":null}', 3000, '"api-name"'],
  ['an api-name that is not a string', '{"api-name":["a"]}', 3007, 'a list'],
  ['an unknown column', '{"api-name":"zzz"}', 3018, '"zzz"'],
  ['a name of every object', '{"api-name":"constructor"}', 3018, '"constructor"'],
  ["another dimension's column", '{"api-name":"e","dimension":"other"}', 3018, '"other"'],
  ['an unknown dimension', '{"api-name":"a","dimension":"nowhere"}', 5008, '"nowhere"'],
  ['a dimension that is not a string', '{"api-name":"a","dimension":5}', 5009, 'a number'],
  ['entity-id', '{"api-name":"entity-id"}', 3001, '"entity-id"'],
  ['an unknown field', '{"api-name":"a","type":"string"}', 3000, '"type"'],
  ['__proto__ as a field', '{"api-name":"a","__proto__":"string"}', 3000, '"__proto__"'],
];
const DELETE: readonly Refusal[] = [
  ['a field of PUT', '{"api-name":"a","active":false}', 3000, '"active"'],
  ['several columns', '{"api-name":["a","e"]}', 3007, 'a list'],
];
const changed = (field: string): string => `{"api-name":"a",${field}}`;
const longName = 'n'.repeat(65);
const CHANGE: readonly Refusal[] = [
  ['nothing to change', '{"api-name":"a"}', 3000, 'nothing to change'],
  ['nothing but a dimension', '{"api-name":"a","dimension":"other"}', 3000, 'nothing to change'],
  ['a new type', changed('"type":"string"'), 3000, '"type"'],
  ['a retention of a column without events', changed('"retention-time":5'), 3017, 'event columns only'],
  ['a null retention', '{"api-name":"e","retention-time":null}', 3017, '"forever", not null'],
  ['a retention of no day', '{"api-name":"e","retention-time":0}', 3017, 'at least 1'],
  ['a retention of half a day', '{"api-name":"e","retention-time":0.5}', 3017, 'at least 1'],
  ['a retention that is a word', '{"api-name":"e","retention-time":"never"}', 3017, '"forever"'],
  ['a null name', changed('"name":null'), 3008, '"name" in the body must be a string, not null'],
  ['a name of blanks', changed('"name":"  "'), 3008, '"  "'],
  ['a name that is not a string', changed('"name":1'), 3008, 'a number'],
  ['an empty name', changed('"name":""'), 3008, 'name'],
  ['quotes in the name', changed('"name":"it\'s"'), 3008, "it's"],
  ['a character other than ASCII in the name', changed('"name":"ÄΣ😀"'), 3008, 'ÄΣ😀'],
  ['a control character in the name', changed('"name":"a\\u0000b"'), 3008, 'name'],
  ['a name too long', changed(`"name":"${longName}"`), 3014, '64'],
  ['a description that is not a string', changed('"description":{}'), 3009, 'description'],
  ['a quote in the description', changed('"description":"say \\"x\\""'), 3009, 'description'],
  ['a description too long', changed(`"description":"${'d'.repeat(257)}"`), 3010, '256'],
  ['active as a string', changed('"active":"false"'), 3000, 'a string'],
  ['active as a number', changed('"active":0'), 3000, 'a number'],
  ['a null active', changed('"active":null'), 3000, 'null'],
];

t.test('bad changes are refused with their code and a message that names the fault', async (t) => {
  assertRefusals(t, [...BOTH, ...CHANGE], change);
  assertRefusals(t, [...BOTH, ...DELETE], (body) => deleteColumn(body, MODEL));
});

t.test('every invalid field of a change is reported, unknown fields first', async (t) => {
  const body = '{"api-name":"a","name":5,"x":1,"description":5,"active":5,"y":2}';
  const faults = [
    [3008, 'a number'],
    [3009, '"description"'],
    [3000, '"active"'],
  ] as const;
  const unknown = [
    [3000, '"x"'],
    [3000, '"y"'],
  ] as const;
  assertAllRefusals(t, () => change(json(body)), [...unknown, ...faults]);
  const lost = '{"api-name":"zzz","name":5,"description":5,"active":5}';
  assertAllRefusals(t, () => change(json(lost)), [[3018, '"zzz"'], ...faults]);
  assertAllRefusals(t, () => change(json('{"dimension":5,"api-name":5}')), [
    [3007, '"api-name"'],
    [5009, 'a number'],
    [3000, 'nothing to change'],
  ]);
  assertAllRefusals(t, () => deleteColumn(json('{"dimension":5,"x":5}'), MODEL), [
    [3000, '"x"'],
    [3000, '"api-name"'],
    [5009, 'a number'],
  ]);
});

t.test('names and descriptions at their limits are accepted', async (t) => {
  const [name, description] = ['n'.repeat(64), 'Ä'.repeat(256)];
  const { changes } = change(json(changed(`"name":"${name}","description":"${description}"`)));
  t.match(columnOf(applyChanges(CATALOG, changes), 'default', 'a'), { name, description });
});
