import t from 'tap';
import type { WireError } from '../../src/base/index.js';
import { createIngestScratch, type ParseOutcome, parseInsert } from '../../src/ingest/index.js';
import type { DatabaseModel } from '../../src/schema/index.js';
import { column, dimension, modelOf, NOW_MS, sampleModel } from '../support/ingest/ingest-bodies.js';
import { ingestOracle } from '../support/ingest/ingest-oracle.js';

const scratch = createIngestScratch();

function parse(
  body: string | Uint8Array,
  model: DatabaseModel = sampleModel(),
  customKey = false,
): ParseOutcome {
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
  const context = { model, shardCount: 2, nowMs: NOW_MS, customKey, columnIds: null };
  return parseInsert(bytes, context, scratch);
}

function errorOf(body: string | Uint8Array, model?: DatabaseModel, customKey?: boolean): WireError {
  const outcome = parse(body, model, customKey);
  return 'error' in outcome ? outcome.error : { code: 1, message: 'it was accepted' };
}

const many = (count: number, of: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => of(index)).join(',');
const entities = (count: number): string => `{${many(count, (index) => `"u${index}":{"country":"x"}`)}}`;
const nested = (depth: number): string => `{"u":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`;

/** A model of 6 dimensions with 1,000 columns each. */
const wide = modelOf(
  Array.from({ length: 6 }, (_, position) =>
    dimension(
      position + 1,
      position === 0 ? 'default' : `d${position}`,
      Array.from({ length: 1000 }, (_, index) => column(position * 1000 + index + 1, `c${index}`, 'integer')),
    ),
  ),
);
const wideEntity = (id: number, position: number, count: number): string =>
  `"${id}":{"dimension":"d${position}",${many(count, (index) => `"c${index}":1`)}}`;
const noDefault = modelOf([dimension(4, 'people', [column(1, 'age', 'integer')])]);
const testModel = (count: number): DatabaseModel =>
  modelOf(
    [
      dimension(
        1,
        'default',
        Array.from({ length: count }, (_, index) => column(index + 1, `c${index}`, 'string')),
      ),
    ],
    { type: 'test' },
  );
const create = (value: string, more = '"dimension","column"'): string =>
  `{"u1":{"fresh":${value}},"auto-create":[${more}]}`;

/** [code, body, model?, a part of the message] */
type Case = readonly [number, string, DatabaseModel?, string?];
const CASES: readonly Case[] = [
  [1503, ''],
  [1503, ' '],
  [1503, '[]', undefined, 'object'],
  [1503, '5', undefined, 'object'],
  [1503, 'null'],
  [1503, '\ufeff{}', undefined, 'byte order mark'],
  [1503, '{"u":{"country":"a\nb"}}', undefined, 'byte 18'],
  [1503, '{"u":{"country":"x"}', undefined, 'byte 20'],
  [1503, '{"u":{"country":"x"}} x', undefined, 'byte 22'],
  [1503, '{"u":{"country":"x"},}'],
  [1503, '{"u":{"country":"x",}}'],
  [1503, '{"u":{"country" "x"}}'],
  [1503, '{"u":{country:"x"}}'],
  [1503, '{"u":{"country":\'x\'}}'],
  [1503, '{"u":{"country":"\\x"}}'],
  [1503, '{"u":{"country":"\\ud800"}}', undefined, 'surrogate'],
  [1503, '{"u":{"country":"\\udc00\\ud800"}}'],
  [1503, '{"u":{"country":"\\ud800\\u0041"}}'],
  [1503, '{"u":{"country":"\\u12g4"}}'],
  [1503, '{"u":{"a-integer":01}}'],
  [1503, '{"u":{"a-integer":+1}}'],
  [1503, '{"u":{"a-integer":1.}}'],
  [1503, '{"u":{"a-integer":-}}'],
  [1503, '{"u":{"a-integer":1e}}'],
  [1503, '{"u":{"a-integer":12-3}}'],
  [1503, '{"u":{"a-decimal":.5}}'],
  [1503, '{"u":{"a-decimal":00.5}}'],
  [1503, '{"u":{"a-boolean":tru}}'],
  [1503, '{"u":{"a-boolean":truee}}'],
  [1503, '{"u":{"a-boolean":nul}}'],
  [1503, '{"u":{"a-boolean":falso}}'],
  [1503, '{"u":{"a-integer":NaN}}'],
  [1503, '{"u":{"list-of-integer-values":[1 2]}}'],
  [1503, '{"u":{"list-of-integer-values":[1,]}}'],
  [1503, '{"u":{"integer-event":{"value":1 "date":"2026-01-01"}}}'],
  [1503, '{"u":{"a-geolocation":[1 2]}}'],
  [1503, '{"u":{"nope":1},"v":{"country":"x"}', undefined, 'byte 35'],
  [1503, '{"u":{"a-integer":"x"},"v":[}'],
  [1503, nested(65), undefined, '64 levels'],
  [1503, nested(10_000)],
  [1503, `{"u":${'{"a":'.repeat(10_000)}`],
  [2005, '{"u":5}', undefined, '"u"'],
  [2005, '{"u":[{}]}'],
  [2005, nested(64)],
  [2003, '{"":{"country":"x"}}'],
  [2008, `{"${'u'.repeat(1001)}":{"country":"x"}}`, undefined, 'uuuu'],
  [2008, `{"${'😀'.repeat(1001)}":{"country":"x"}}`],
  [2012, entities(1001), undefined, '"u1000"'],
  [
    2013,
    `{${[1, 2, 3, 4, 5].map((index) => wideEntity(index, index, 1000)).join(',')},"z":{"c0":1}}`,
    wide,
    '"z"',
  ],
  [2019, '{"Ab":{"country":"x"},"aB":{"dimension":"people","country":"x"}}', undefined, '"ab"'],
  [2017, '{"u":{}}', undefined, '"u"'],
  [2017, '{"u":{"dimension":"people"}}'],
  [5009, '{"u":{"dimension":null,"country":"x"}}', undefined, 'null'],
  [5009, '{"u":{"country":"x","dimension":5}}'],
  [5008, '{"u":{"dimension":"People","country":"x"}}', undefined, '"People"'],
  [5008, '{"u":{"country":"x","dimension":"nope"}}'],
  [5008, '{"u":{"age":1}}', noDefault, 'default'],
  [2011, '{"u":{"Country":"x"}}', undefined, '"Country"'],
  [2011, '{"u":{"gone":1}}', undefined, 'inactive'],
  [2011, `{"u":{"${'k'.repeat(2000)}":1}}`],
  [2020, '{"u":{"entity-id":"u"}}', undefined, 'entity-id'],
  [2007, '{"u":{"country":5}}', undefined, '"country"'],
  [2007, '{"u":{"country":["x"]}}'],
  [2007, '{"u":{"list-of-string-values":"x"}}'],
  [2007, '{"u":{"list-of-string-values":[null]}}'],
  [2015, '{"u":{"country":""}}'],
  [2009, `{"u":{"country":"${'é'.repeat(1001)}"}}`],
  [2009, `{"u":{"country":"${'e'.repeat(1001)}"}}`],
  [2007, '{"u":{"a-integer":1.0}}', undefined, '1.0'],
  [2007, '{"u":{"a-integer":9223372036854775808}}', undefined, '2^63'],
  [2007, `{"u":{"a-integer":1${'0'.repeat(100_000)}}}`],
  [2007, '{"u":{"a-integer":"1"}}'],
  [
    3016,
    '{"u":{"age":-1}}',
    modelOf([dimension(1, 'default', [column(1, 'age', 'enumerated', { range: [0n, 10n] })])]),
    '-1',
  ],
  [2004, '{"u":{"a-decimal":0.0000001}}', undefined, '6 decimal places'],
  [2004, `{"u":{"a-decimal":0.${'0'.repeat(200_000)}1}}`],
  [2007, `{"u":{"a-decimal":1${'0'.repeat(200_000)}1}}`],
  [2007, '{"u":{"a-decimal":1e400}}'],
  [2004, '{"u":{"a-decimal":1e-400}}'],
  [2007, '{"u":{"a-boolean":"TRUE"}}'],
  [2007, '{"u":{"a-boolean":null,"a-date":5}}', undefined, '"a-date"'],
  [2014, '{"u":{"a-date":"2026-02-29"}}', undefined, '2026-02-29'],
  [2014, '{"u":{"a-date":"2026-02-01T00:00:00Z"}}'],
  [2007, '{"u":{"a-datetime":"2026-02-01"}}', undefined, '2026-02-01'],
  [2007, '{"u":{"a-geolocation":[181,0]}}', undefined, 'longitude'],
  [2007, '{"u":{"a-geolocation":[0,-91]}}', undefined, 'latitude'],
  [2007, '{"u":{"integer-event":5}}'],
  [2007, '{"u":{"integer-event":null}}'],
  [2007, '{"u":{"integer-event":[[]]}}'],
  [2016, '{"u":{"integer-event":{"value":1,"Date":"2026-01-01"}}}', undefined, '"Date"'],
  [2018, '{"u":{"integer-event":[{"value":1},{"date":"2026-01-01"}]}}'],
  [2018, '{"u":{"integer-event":{}}}'],
  [2010, '{"u":{"integer-event":{"value":1,"date":"yesterday"}}}', undefined, 'yesterday'],
  [2010, '{"u":{"integer-event":{"value":1,"date":null}}}'],
  [2002, '{"u":{"integer-event":{"value":1,"date":"1989-12-31"}}}', undefined, '1989'],
  [2006, '{"u":{"integer-event":{"value":1,"date":"2026-02-01T12:00:01Z"}}}'],
  [2001, '{"u":{"kept-30-days":{"value":1,"date":"2026-01-02T11:59:59Z"}}}', undefined, '30 days'],
  [2007, '{"u":{"country":"x"},"auto-create":true}', undefined, 'auto-create'],
  [2007, '{"u":{"country":"x"},"auto-create":["columns"]}'],
  [2007, '{"u":{"nope":"x"},"auto-create":{}}', undefined, 'auto-create'],
  [5008, '{"u":{"dimension":"fresh","country":"x"},"auto-create":["column"]}'],
  [2011, '{"u":{"fresh":1},"auto-create":["dimension"]}'],
  [2011, '{"u":{"gone":1},"auto-create":["column"]}'],
  [5000, '{"u":{"dimension":"Fresh","x":1},"auto-create":["dimension","column"]}', undefined, '"Fresh"'],
  [5001, '{"u":{"dimension":"took","x":1},"auto-create":["dimension","column"]}', undefined, '"took"'],
  [5004, `{"u":{"dimension":"${'f'.repeat(65)}","x":1},"auto-create":["dimension","column"]}`],
  [3007, '{"u":{"New_one":1},"auto-create":["column"]}', undefined, '"New_one"'],
  [3015, `{"u":{"${'f'.repeat(65)}":1},"auto-create":["column"]}`],
  [2021, '{"u":{"c99":"x","fresh":1},"auto-create":["column"]}', testModel(100), '"fresh"'],
  [2007, create('null'), undefined, '"fresh"'],
  [2007, create('[]')],
  [2007, create('[null]')],
  [2007, create('[[1,2]]')],
  [2007, create('[1,"x"]'), undefined, 'integer and string'],
  [2007, create('{"value":true}')],
  [2007, create('{"value":[1,2]}')],
  [2007, create('[{"value":1},{"value":"x"}]')],
  [2007, create('[{"value":1},5]')],
  [2007, create('true,"fresh":"true"')],
  [2007, create('1},"u2":{"fresh":[1]'), undefined, 'single values and lists'],
  [2007, create('"2026-01-01"},"u2":{"fresh":"soon"')],
  [2018, create('{}')],
  [2016, create('{"value":1,"x":2}')],
  [2004, create('0.000000000000000000001')],
  [2010, create('{"date":"soon"}')],
];

t.test('every fault of a body has its code, and the message names the offending thing', (t) => {
  for (const [code, body, model, named] of CASES) {
    const shown = body.length > 70 ? `${body.slice(0, 70)}…` : body;
    const error = errorOf(body, model);
    t.equal(error.code, code, `${code} ${JSON.stringify(shown)}: ${error.message}`);
    if (named !== undefined) t.ok(error.message.includes(named), `${error.message} names ${named}`);
    t.ok(error.message.length < 700, 'a message does not grow with its body');
    if (body.length < 5_000) {
      const bytes = new TextEncoder().encode(body);
      const context = { model: model ?? sampleModel(), nowMs: NOW_MS, customKey: false, columnIds: null };
      t.same(ingestOracle(bytes, context), { code });
    }
  }
  t.end();
});

t.test('the first error in the document is reported, unless the JSON is invalid', (t) => {
  t.equal(errorOf('{"u":{"a-integer":"x","country":""},"v":5}').code, 2007);
  t.equal(errorOf('{"u":{"country":"","a-integer":"x"},"v":5}').code, 2015);
  t.equal(errorOf('{"v":5,"u":{"country":"","a-integer":"x"}}').code, 2005);
  t.equal(errorOf('{"u":{"country":""},"v":{"fresh":[null]},"auto-create":["column"]}').code, 2015);
  t.equal(errorOf('{"v":{"fresh":[null]},"u":{"country":""},"auto-create":["column"]}').code, 2007);
  t.equal(
    errorOf('{"v":{"fresh":1},"u":{"country":""},"w":{"fresh":"x"},"auto-create":["column"]}').code,
    2015,
  );
  t.equal(errorOf('{"u":{"country":""},"v":{"country":"\u0001"}}').code, 1503);
  t.end();
});

t.test('invalid UTF-8 is refused with its byte offset', (t) => {
  const bad = [
    [0x80],
    [0xc0, 0xaf],
    [0xc3],
    [0xe0, 0x80, 0x80],
    [0xed, 0xa0, 0x80],
    [0xf0, 0x80, 0x80, 0x80],
    [0xf4, 0x90, 0x80, 0x80],
    [0xff],
  ];
  for (const bytes of bad) {
    const text = (part: string): number[] => Array.from(part, (unit) => unit.charCodeAt(0));
    const body = Uint8Array.from([...text('{"u":{"country":"ab'), ...bytes, ...text('"}}')]);
    const error = errorOf(body);
    t.equal(error.code, 1503);
    t.ok(error.message.includes('byte 19'), error.message);
    const inKey = errorOf(Uint8Array.from([...text('{"u":{"'), ...bytes, ...text('":1}}')]));
    t.equal(inKey.code, 1503);
  }
  t.end();
});

t.test(
  'a custom key may not create: 511 if dimensions are named, else 505, before any other fault but syntax',
  (t) => {
    t.equal(errorOf('{"u":{"country":"x"},"auto-create":["column"]}', undefined, true).code, 505);
    t.equal(errorOf('{"u":{"country":"x"},"auto-create":[]}', undefined, true).code, 505);
    t.equal(errorOf('{"auto-create":["column","dimension"],"u":{"country":"x"}}', undefined, true).code, 511);
    t.equal(errorOf('{"u":{"nope":"x"},"auto-create":["dimension"]}', undefined, true).code, 511);
    t.equal(errorOf('{"u":{"nope":"x"},"auto-create":["dimension"]', undefined, true).code, 1503);
    t.end();
  },
);

t.test('bounds are inclusive: 1,000 entities, 5,000 columns, 1,000 characters, the second of now', (t) => {
  const accepted = (body: string, model?: DatabaseModel): boolean => 'parsed' in parse(body, model);
  t.ok(accepted(entities(1000)));
  t.ok(
    accepted(
      `{${[1, 2, 3, 4, 5].map((index) => wideEntity(index, index, 1000)).join(',')},"z":{"dimension":"d1","c0":1}}`,
      wide,
    ),
  );
  t.ok(
    accepted(
      `{"${'é'.repeat(1000)}":{"country":"${'日'.repeat(1000)}","list-of-string-values":["${'x'.repeat(1000)}"]}}`,
    ),
  );
  t.ok(
    accepted(
      '{"u":{"integer-event":[{"value":1,"date":"2026-02-01T12:00:00Z"},{"value":1,"date":"1990-01-01"}]}}',
    ),
  );
  t.ok(accepted('{"u":{"kept-30-days":{"value":1,"date":"2026-01-02T12:00:00Z"}}}'));
  t.ok(accepted('{"u":{"fresh":1},"auto-create":["column"]}', testModel(99)));
  t.end();
});
