import t from 'tap';
import { bindExtraction, type ExtractionRequest, type Json } from '../../../src/api/index.js';
import type { OutputColumn } from '../../../src/ir/index.js';
import { json } from '../databases.js';
import { BOOL, DAY, DEC, GEO, IE, INT, INT_IS, LIST, REQUEST, SCORE, TEXT, TIME } from '../extractions.js';
import { assertAllRefusals, assertRefusals, type Refusal } from '../refusals.js';

const body = (columns: string, fields = ''): string =>
  `{"query":[${INT_IS(5)}],"columns":${columns}${fields === '' ? '' : `,${fields}`}}`;
const outputs = (text: string, request: ExtractionRequest = REQUEST): readonly OutputColumn[] =>
  bindExtraction(json(text), request).plan.columns;
const ids = (text: string): unknown[] =>
  outputs(text).map((column) => (column.from === 'entity-id' ? 'id' : column.columnId));

const WEEK = '["2018-01-01","2018-01-08"]';

t.test('the plan has the columns in their order, each with the form of its values', async (t) => {
  const window = { from: Date.UTC(2018, 0, 1) / 1000, to: Date.UTC(2018, 0, 8) / 1000 };
  t.strictSame(outputs(body(`["dec","entity-id",{"ie":${WEEK}},"list"]`)), [
    { type: 'decimal', decimalPlaces: 2, from: 'attribute', columnId: DEC },
    { type: 'unique-id', decimalPlaces: null, from: 'entity-id' },
    { type: 'integer-event', decimalPlaces: null, from: 'events', columnId: IE, window },
    { type: 'integer', decimalPlaces: null, from: 'attribute', columnId: LIST },
  ]);
});

t.test('a column named twice counts once', async (t) => {
  t.strictSame(ids(body('["int","text","int","int"]')), [INT, TEXT]);
  t.strictSame(ids(body(`[{"ie":${WEEK}},"int",{"ie":["2018-01-08","-1w"]}]`)), [IE, INT]);
  const ten = '"int","text","dec","time","geo","list","score","bool","day","entity-id"';
  t.equal(ids(body(`[${ten},${ten},"int"]`)).length, 10);
});

t.test('"all" are the active attribute columns, with the entity ID in lists of rows', async (t) => {
  const all = [TEXT, INT, DEC, TIME, GEO, LIST, SCORE, BOOL, DAY];
  t.strictSame(ids(body('"all"')), all);
  t.strictSame(ids(body('["all"]')), all);
  t.strictSame(ids(body('"all"', '"order":[{"int":"asc"}]')), ['id', ...all]);
});

t.test('a column named "all" takes precedence over a list of "all"', async (t) => {
  const inOther = '{"dimension":"other","query":[{"entity-id":{"equals":"x"}}],"columns":';
  t.strictSame(
    outputs(`${inOther}["all"]}`).map((column) => column.from === 'attribute' && column.columnId),
    [12],
  );
  t.match(
    outputs(`${inOther}"all"}`),
    [{ columnId: 12 }, { columnId: 14 }],
    'outside a list "all" is not a column',
  );
  t.match(outputs(`${inOther}["all","entity-id"]}`), [{ columnId: 12 }, { from: 'entity-id' }]);
});

t.test('an order names columns with their direction, one object or a list', async (t) => {
  const order = (text: string) =>
    bindExtraction(json(body('["int"]', `"order":${text}`)), REQUEST).plan.order;
  t.strictSame(order('[{"text":"desc"},{"entity-id":"asc"},{"bool":"asc"},{"day":"desc"}]'), [
    { by: 'attribute', columnId: TEXT, kind: 'code', descending: true },
    { by: 'entity-id', descending: false },
    { by: 'attribute', columnId: BOOL, kind: 'bits', descending: false },
    { by: 'attribute', columnId: DAY, kind: 'i32', descending: true },
  ]);
  t.strictSame(order('{"dec":"asc"}'), [{ by: 'attribute', columnId: DEC, kind: 'i64', descending: false }]);
});

const eleven = (): string => {
  const names = ['int', 'text', 'dec', 'time', 'geo', 'list', 'score', 'bool', 'day', 'entity-id'];
  return `["${names.join('","')}",{"ie":${WEEK}}]`;
};
const order = (text: string): string => body('["int"]', `"order":${text}`);
const REFUSED: readonly Refusal[] = [
  ['an empty list', body('[]'), 4049, 'empty'],
  ['one column outside a list', body('"int"'), 4049, 'a string'],
  ['null', body('null'), 4049, 'null'],
  ['a number', body('["int",5]'), 4049, 'columns[1]'],
  ['a list in the list', body('[["int"]]'), 4049, 'columns[0]'],
  ['11 columns', body(eleven()), 4030, 'columns[10]'],
  ['an unknown column', body('["int","nope"]'), 4008, 'columns[1]'],
  ['an inactive column', body('["off"]'), 4008, '"off"'],
  ["another dimension's column", body('["te"]'), 4008, '"te"'],
  ['"all" beside others', body('["all","int"]'), 4008, 'columns[0]'],
  ['an event column', body('["int","ie"]'), 4018, 'columns[1]'],
  ['an event column without dates', body('[{"ie":null}]'), 4053, 'columns[0].ie'],
  ['an event column with a bad date', body('[{"ie":["2018-02-30","2018-03-01"]}]'), 4053, 'columns[0].ie[0]'],
  ['an event column with one date', body('[{"ie":["2018-02-03"]}]'), 4053, 'columns[0].ie'],
  ['a bad relative date', body('[{"ie":["2018-02-03","-5xyz"]}]'), 4003, 'columns[0].ie[1]'],
  ['an attribute column with dates', body(`[{"int":${WEEK}}]`), 4017, '"int"'],
  ['an unknown column with dates', body(`[{"nope":${WEEK}}]`), 4008, '"nope"'],
  ['an empty object', body('[{}]'), 4049, 'columns[0]'],
  ['two columns in an object', body(`[{"ie":${WEEK},"ge":${WEEK}}]`), 4049, 'columns[0]'],
  ['an event column with two windows', body(`[{"ie":${WEEK}},{"ie":["today"]}]`), 4049, 'columns[1]'],
  ['an order that is not a list', order('"int"'), 4049, '"order"'],
  ['an empty order', order('[]'), 4049, 'empty'],
  ['a string as an item of an order', order('["int"]'), 4049, 'order[0]'],
  ['an empty object as an item of an order', order('[{}]'), 4049, 'order[0]'],
  [
    'an object with two columns as an item of an order',
    order('[{"int":"asc","text":"asc"}]'),
    4049,
    'order[0]',
  ],
  ['the direction "up"', order('[{"int":"up"}]'), 4049, 'order[0]'],
  ['the direction true', order('[{"int":true}]'), 4049, 'order[0]'],
  ['an order by an unknown name', order('{"nope":"asc"}'), 4008, '"nope"'],
  ['an order by an inactive column', order('[{"off":"asc"}]'), 4008, 'order[0]'],
  ['an order by a column twice', order('[{"int":"asc"},{"text":"asc"},{"int":"desc"}]'), 4049, 'order[2]'],
  ['an order by 11 columns', order(`[${'{"int":"asc"},'.repeat(10)}{"int":"asc"}]`), 4048, '11'],
];

t.test('bad columns and orders are refused with their code and named', async (t) => {
  assertRefusals(t, REFUSED, (text: Json) => bindExtraction(text, REQUEST));
});

t.test('all invalid columns are reported', async (t) => {
  assertAllRefusals(t, () => outputs(body('["nope","int","ie",7]', '"order":[{"geo":"asc"},{"x":"asc"}]')), [
    [4008, 'columns[0]'],
    [4018, 'columns[2]'],
    [4049, 'columns[3]'],
    [4039, 'order[0]'],
    [4008, 'order[1]'],
  ]);
});
