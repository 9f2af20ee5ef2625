/** Related event columns: error 2022 for unequal numbers of events, and the relation in the sections of batches. */
import t, { type Test } from 'tap';
import type { WireError } from '../../../src/base/index.js';
import { decodeBatch } from '../../../src/column/index.js';
import { createIngestScratch, type ParsedInsert, parseInsert } from '../../../src/ingest/index.js';
import { column, dimension, modelOf, NOW_MS, relation } from '../../support/ingest/ingest-bodies.js';
import { differenceOf } from '../../support/ingest/ingest-compare.js';
import { ingestOracle } from '../../support/ingest/ingest-oracle.js';

const COLUMNS = [
  column(1, 'page', 'string-event'),
  column(2, 'price', 'decimal-event'),
  column(3, 'place', 'geolocation-event'),
  column(4, 'who', 'string-event'),
  column(5, 'minutes', 'integer-event'),
  column(6, 'login', 'integer-event'),
  column(7, 'age', 'integer'),
  column(8, 'gone', 'integer-event', { active: false }),
];
const RELATIONS = [
  relation(20, 'visit', COLUMNS, ['page', 'price', 'place', 'gone']),
  relation(21, 'call', COLUMNS, ['who', 'minutes']),
];
const MODEL = modelOf([
  dimension(1, 'default', COLUMNS, RELATIONS),
  dimension(2, 'plain', [column(11, 'page', 'string-event'), column(12, 'price', 'decimal-event')]),
]);
const CONTEXT = { model: MODEL, nowMs: NOW_MS, customKey: false, columnIds: null };
const scratch = createIngestScratch();

/** Parses and compares with the oracle. */
function parse(t: Test, body: string): { parsed: ParsedInsert | null; error: WireError | null } {
  const bytes = new TextEncoder().encode(body);
  const outcome = parseInsert(bytes, { ...CONTEXT, shardCount: 1 }, scratch);
  const expected = ingestOracle(bytes, CONTEXT);
  if ('error' in outcome) {
    t.same(expected, { code: outcome.error.code }, body);
    return { parsed: null, error: outcome.error };
  }
  const difference =
    'code' in expected ? `code ${expected.code}` : differenceOf(outcome.parsed, expected.result, 1);
  t.equal(difference, null, body);
  return { parsed: outcome.parsed, error: null };
}

const codeOf = (t: Test, body: string): number | null => parse(t, body).error?.code ?? null;

t.test(
  'related columns with equal numbers of events are accepted, and their sections name the relation',
  (t) => {
    const { parsed } = parse(
      t,
      `{"u":{"page":[{"value":"a"},{"value":"b"}],"login":{"value":1},"price":[{"value":1.5},{"value":2}],
      "who":{"value":"c"},"minutes":[{"value":3}],"age":4},"v":{"price":[]}}`,
    );
    if (parsed === null) throw new Error('the body was refused');
    const [{ offset, byteLength }] = parsed.batches;
    const { sections } = decodeBatch(parsed.buffer, offset, byteLength);
    t.same(
      sections.map(({ columnId, relationId, rows }) => [columnId, relationId, [...rows]]),
      [
        [1, 20, [0, 0]],
        [6, 0, [0]],
        [2, 20, [0, 0]],
        [4, 21, [0]],
        [5, 21, [0]],
        [7, 0, [0]],
      ],
    );
    t.end();
  },
);

t.test('unequal numbers of events for the columns of a relation that an entity names are refused', (t) => {
  t.equal(codeOf(t, '{"u":{"page":[{"value":"a"}],"price":[{"value":1},{"value":2}]}}'), 2022);
  t.equal(codeOf(t, '{"u":{"page":{"value":"a"},"price":[]}}'), 2022, 'an empty list names its column');
  t.equal(codeOf(t, '{"u":{"page":[],"price":[]}}'), null);
  t.equal(
    codeOf(t, '{"u":{"page":[{"value":"a"},{"value":"b"}]}}'),
    null,
    'a column without the others in its entity',
  );
  t.equal(codeOf(t, '{"u":{"page":{"value":"a"},"place":{"value":[1,2]}}}'), null, 'price is not named');
  t.equal(
    codeOf(t, '{"u":{"page":{"value":"a"},"place":{"value":[1,2]},"price":[{"value":1},{"value":2}]}}'),
    2022,
    'the third column differs',
  );
  t.equal(
    codeOf(t, '{"u":{"page":{"value":"a"}},"v":{"price":[]}}'),
    null,
    'entities are compared separately',
  );
  t.equal(
    codeOf(t, '{"u":{"page":{"value":"a"},"who":[],"minutes":[]}}'),
    null,
    'relations are compared separately',
  );
  t.equal(
    codeOf(t, '{"u":{"page":{"value":"a"},"price":{"value":1},"who":{"value":"b"},"minutes":[]}}'),
    2022,
  );
  t.equal(codeOf(t, '{"u":{"page":{"value":"a"},"login":[]}}'), null, 'login is in no relation');
  t.equal(
    codeOf(t, '{"u":{"dimension":"plain","page":{"value":"a"},"price":[]}}'),
    null,
    'columns of the same names in another dimension are in no relation',
  );
  t.end();
});

t.test('a column that an entity names twice has the events of both positions', (t) => {
  t.equal(
    codeOf(t, '{"u":{"page":{"value":"a"},"price":[{"value":1},{"value":2}],"page":{"value":"b"}}}'),
    null,
  );
  t.equal(codeOf(t, '{"u":{"page":{"value":"a"},"price":{"value":1},"page":{"value":"b"}}}'), 2022);
  t.equal(codeOf(t, '{"u":{"page":{"value":"a"},"price":{"value":1},"page":[]}}'), null);
  t.end();
});

t.test('the message names the entity, the relation, both columns and their counts', (t) => {
  const body =
    '{"v":{"age":1},"User":{"who":{"value":"x"},"page":[{"value":"a"},{"value":"b"}],"price":[{"value":1}]}}';
  t.same(parse(t, body).error, {
    code: 2022,
    message:
      'entity "user": unequal numbers of events in the relation "visit": 2 in the column "page", 1 in the column "price"',
  });
  t.end();
});

t.test('unequal numbers are found at the end of their entity', (t) => {
  const unequal = '"page":{"value":"a"},"price":[]';
  t.equal(codeOf(t, `{"u":{${unequal},"age":"x"}}`), 2007, 'after the faults inside it');
  t.equal(codeOf(t, `{"u":{${unequal},"nope":1}}`), 2011);
  t.equal(codeOf(t, `{"u":{${unequal},"gone":[]}}`), 2011);
  t.equal(codeOf(t, `{"t":{"age":"x"},"u":{${unequal}}}`), 2007, 'after the faults of earlier entities');
  t.equal(codeOf(t, `{"u":{${unequal}},"v":{"age":"x"}}`), 2022, 'before the faults of later entities');
  t.equal(codeOf(t, `{"u":{${unequal}},"u":{"age":1}}`), 2022);
  t.equal(codeOf(t, `{"u":{${unequal}},"v":{}}`), 2022);
  t.equal(codeOf(t, `{"u":{${unequal}}`), 1503, 'invalid JSON is reported first');
  t.equal(
    codeOf(t, `{"u":{${unequal}},"auto-create":true}`),
    2007,
    'an invalid auto-create is reported first',
  );
  t.equal(codeOf(t, `{"u":{${unequal},"new":1},"v":{"new":"x"},"auto-create":["column"]}`), 2022);
  t.equal(codeOf(t, `{"u":{${unequal},"new":[[]]},"auto-create":["column"]}`), 2007);
  t.equal(codeOf(t, `{"u":{${unequal},"new":1,"dimension":"default"},"auto-create":["column"]}`), 2022);
  t.end();
});

t.test('a refused request leaves no counts for the next one', (t) => {
  t.equal(codeOf(t, '{"u":{"page":[{"value":"a"},{"value":"b"}],"age":"x"}}'), 2007);
  t.equal(codeOf(t, '{"u":{"price":{"value":1}}}'), null);
  t.equal(codeOf(t, '{"u":{"page":[{"value":"a"},{"value":"b"}],"price":{"value":1},"place":[]}}'), 2022);
  t.equal(codeOf(t, '{"u":{"page":{"value":"a"},"price":{"value":1},"place":{"value":[1,2]}}}'), null);
  t.end();
});
