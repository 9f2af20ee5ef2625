import { tableFromIPC } from 'apache-arrow';
import t from 'tap';
import type { RowFormat } from '../../../src/answer/index.js';
import {
  bindExtraction,
  bindScore,
  type Extraction,
  extractionText,
  wholeExtraction,
} from '../../../src/api/index.js';
import { Prng } from '../../../src/base/index.js';
import type { ExtractedRow, ExtractedValue } from '../../../src/ir/index.js';
import type { Point } from '../../../src/schema/index.js';
import { json } from '../databases.js';
import { INT, INT_IS, REQUEST, TEXT } from '../extractions.js';

const WHOLE = { ...REQUEST, whole: true };

const bind = (columns: string, query = INT_IS(5)): Extraction =>
  bindExtraction(json(`{"query":[${query}],"columns":${columns}}`), WHOLE);
const score = (columns: string, query = INT_IS(5)): Extraction =>
  bindScore(json(`{"query":[${query}],"columns":${columns}}`), WHOLE).extraction;

const row = (
  id: string,
  values: readonly ExtractedValue[],
  more: Partial<ExtractedRow['position']> = {},
  nearest: Point | null = null,
): ExtractedRow => ({
  position: { id, score: 0, distanceKm: 0, values: [], ...more },
  nearest,
  values,
});

function written(extraction: Extraction, format: RowFormat, rows: readonly ExtractedRow[]): Buffer {
  const { encoder } = wholeExtraction(extraction, format);
  // The rows come in two parts, to test the text between the parts too.
  const parts = [encoder.rows(rows.slice(0, 1)), encoder.rows(rows.slice(1))];
  return Buffer.concat([encoder.head(), ...parts, encoder.tail(rows.length)]);
}

const EVENT = { value: '1', date: '2018-01-02T03:04:05Z' };
const VALUES = [
  row('a"', ['x,"y"', '-5', '["1","2"]', JSON.stringify(EVENT)]),
  row('b', [null, null, null, null]),
  row('c', ['', '7', '["3"]', JSON.stringify([EVENT, { ...EVENT, value: '2' }])]),
];
const COLUMNS = '["text","int","list",{"ie":["today"]}]';

t.test('NDJSON rows are the rows of a list, with their ID', async (t) => {
  t.equal(
    written(bind(COLUMNS), 'ndjson', VALUES).toString(),
    [
      `{"entity-id":"a\\"","text":"x,\\"y\\"","int":"-5","list":["1","2"],"ie":${JSON.stringify(EVENT)}}`,
      '{"entity-id":"b"}',
      `{"entity-id":"c","text":"","int":"7","list":["3"],"ie":${JSON.stringify([EVENT, { ...EVENT, value: '2' }])}}`,
      '',
    ].join('\n'),
  );
});

t.test('CSV starts with a line of names; lists and events are JSON', async (t) => {
  t.equal(
    written(bind(COLUMNS), 'csv', VALUES).toString(),
    [
      'entity-id,text,int,list,ie',
      '"a""","x,""y""",-5,"[""1"",""2""]","{""value"":""1"",""date"":""2018-01-02T03:04:05Z""}"',
      'b,,,,',
      'c,"",7,"[""3""]","[{""value"":""1"",""date"":""2018-01-02T03:04:05Z""},' +
        '{""value"":""2"",""date"":""2018-01-02T03:04:05Z""}]"',
      '',
    ].join('\r\n'),
  );
});

t.test('Arrow has the same texts in columns', async (t) => {
  const table = tableFromIPC(written(bind(COLUMNS), 'arrow', VALUES));
  t.strictSame(
    table.schema.fields.map(({ name, type }) => `${name} ${type}`),
    ['entity-id Utf8', 'text Utf8', 'int Utf8', 'list Utf8', 'ie Utf8'],
  );
  t.strictSame(
    table.toArray().map((found) => ({ ...found.toJSON() })),
    [
      { 'entity-id': 'a"', text: 'x,"y"', int: '-5', list: '["1","2"]', ie: JSON.stringify(EVENT) },
      { 'entity-id': 'b', text: null, int: null, list: null, ie: null },
      {
        'entity-id': 'c',
        text: '',
        int: '7',
        list: '["3"]',
        ie: JSON.stringify([EVENT, { ...EVENT, value: '2' }]),
      },
    ],
  );
});

t.test('the ID comes first and once, wherever it is requested', async (t) => {
  const expected = bind('["int","entity-id","text"]');
  t.equal(expected.plan.columns.length, 3);
  const { extraction } = wholeExtraction(expected, 'csv');
  t.strictSame(
    extraction.plan.columns.map((column) => 'columnId' in column && column.columnId),
    [INT, TEXT],
  );
  t.equal(written(expected, 'csv', [row('x', ['1', 'a'])]).toString(), 'entity-id,int,text\r\nx,1,a\r\n');
  t.equal(
    written(expected, 'ndjson', [row('x', ['1', 'a'])]).toString(),
    '{"entity-id":"x","int":"1","text":"a"}\n',
  );
  t.equal(written(bind('["entity-id"]'), 'csv', [row('x', [])]).toString(), 'entity-id\r\nx\r\n');
});

t.test('scores are integers, distances floats, coordinates JSON', async (t) => {
  const near = '{"geo":{"geo_near":{"longitude":1,"latitude":2,"limit":9,"show_coordinates":true}}}';
  const scored = score('["int"]', `${INT_IS(5)},"or",${near}`);
  const rows = [
    row('x', ['5'], { score: 2, distanceKm: 3 }, { longitude: 1, latitude: -2.5 }),
    row('y', [null], { score: 1 }),
  ];
  t.equal(
    written(scored, 'csv', rows).toString(),
    'entity-id,int,score,geo_distance,geo_coordinates\r\nx,5,2,3.0,"[1.0,-2.5]"\r\ny,,1,,\r\n',
  );
  t.equal(
    written(scored, 'ndjson', rows).toString(),
    '{"entity-id":"x","int":"5","score":2,"geo_distance":3.0,"geo_coordinates":[1.0,-2.5]}\n{"entity-id":"y","score":1}\n',
  );
  const table = tableFromIPC(written(scored, 'arrow', rows));
  t.strictSame(
    table.schema.fields.map(({ name, type }) => `${name} ${type}`),
    ['entity-id Utf8', 'int Utf8', 'score Int64', 'geo_distance Float64', 'geo_coordinates Utf8'],
  );
  t.strictSame(
    table.toArray().map((found) => Object.values(found.toJSON())),
    [
      ['x', '5', 2n, 3, '[1.0,-2.5]'],
      ['y', null, 1n, null, null],
    ],
  );
});

t.test('NDJSON contains the rows of the JSON list, for generated rows', async (t) => {
  const prng = new Prng(9);
  t.comment('seed 9');
  const text = (): string =>
    prng.pick(['', 'a', '"', '\\', 'ä\n', '🚀', ',', '__proto__']).repeat(prng.below(3));
  const value = (make: () => string): ExtractedValue => (prng.chance(0.3) ? null : make());
  const some = (make: () => unknown): string =>
    JSON.stringify(Array.from({ length: 1 + prng.below(3) }, make));
  const rows = Array.from({ length: 200 }, (_, index) =>
    row(`${text()}${index}`, [
      value(text),
      value(text),
      value(() => some(text)),
      value(() => some(() => ({ value: text(), date: '2018-01-02T03:04:05Z' }))),
    ]),
  );
  const inList = bindExtraction(
    json(`{"query":[${INT_IS(5)}],"columns":${COLUMNS},"order":[{"int":"asc"}],"limit":200}`),
    REQUEST,
  );
  const data = JSON.parse(`{${extractionText(inList, rows)}}`).data as object[];
  const lines = written(bind(COLUMNS), 'ndjson', rows).toString().trimEnd().split('\n');
  t.strictSame(
    lines.map((line) => JSON.parse(line)),
    data.map((found, index) => ({ 'entity-id': rows[index].position.id, ...found })),
  );
});

t.test('an answer without rows is a head and a tail', async (t) => {
  t.equal(written(bind('["int"]'), 'ndjson', []).length, 0);
  t.equal(written(bind('["int"]'), 'csv', []).toString(), 'entity-id,int\r\n');
  t.equal(tableFromIPC(written(bind('["int"]'), 'arrow', [])).numRows, 0);
});
