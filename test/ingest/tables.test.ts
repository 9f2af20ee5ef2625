/** Callers who may write only some columns: 506 for the others, whatever callers before them wrote. */
import t, { type Test } from 'tap';
import type { WireError } from '../../src/base/index.js';
import { createIngestScratch, type IngestScratch, parseInsert } from '../../src/ingest/index.js';
import { column, dimension, modelOf, NOW_MS } from '../support/ingest/ingest-bodies.js';
import { ingestOracle } from '../support/ingest/ingest-oracle.js';

const MODEL = modelOf([
  dimension(1, 'default', [
    column(1, 'age', 'integer'),
    column(2, 'city', 'string'),
    column(3, 'visit', 'string-event'),
    column(4, 'gone', 'integer', { active: false }),
  ]),
  dimension(2, 'people', [column(11, 'age', 'integer'), column(12, 'city', 'string')]),
]);
const ALL_COLUMNS = '{"u":{"age":1,"city":"x","visit":[]},"v":{"age":1,"city":"x","visit":[]}}';

/** The error of `body` for a caller who may write `columnIds`, after a comparison with the oracle. */
function errorOf(
  t: Test,
  scratch: IngestScratch,
  body: string,
  columnIds: readonly number[] | null,
): WireError | null {
  const bytes = new TextEncoder().encode(body);
  const context = { model: MODEL, nowMs: NOW_MS, customKey: false, columnIds };
  const outcome = parseInsert(bytes, { ...context, shardCount: 2 }, scratch);
  const error = 'error' in outcome ? outcome.error : null;
  const expected = ingestOracle(bytes, context);
  t.equal(error?.code ?? null, 'code' in expected ? expected.code : null, body);
  return error;
}

t.test('a column that the caller may not write is refused and named, at its place in the document', (t) => {
  const scratch = createIngestScratch();
  const codeOf = (body: string, columnIds: readonly number[] | null): number | null =>
    errorOf(t, scratch, body, columnIds)?.code ?? null;
  t.same(errorOf(t, scratch, '{"User":{"age":1,"city":"x"}}', [1]), {
    code: 506,
    message: 'entity "user": the key may not write the column "city" in dimension "default"',
  });
  t.equal(codeOf('{"u":{"age":1,"city":"x"}}', [2, 1]), null);
  t.equal(codeOf('{"u":{"age":1}}', []), 506, 'a caller without columns may write none');
  t.equal(codeOf('{"u":{"dimension":"people","age":1}}', [1, 2, 3]), 506, 'another dimension’s column');
  t.equal(codeOf('{"u":{"city":1}}', [1]), 506, 'before its value');
  t.equal(codeOf('{"u":{"age":"x","city":"x"}}', [1]), 2007, 'after faults before it');
  t.equal(codeOf('{"u":{"city":"x"},"v":5}', [1]), 506, 'before faults after it');
  t.equal(codeOf('{"u":{"nope":1}}', [1]), 2011, 'an unknown column is still reported as unknown');
  t.equal(codeOf('{"u":{"gone":1}}', [1]), 2011, 'an inactive column is still reported as inactive');
  t.equal(codeOf('{"u":{"gone":1}}', [4]), 2011);
  t.equal(codeOf('{"u":{"entity-id":1}}', [1]), 2020);
  t.equal(codeOf('{"u":{"c\\u0069ty":"x"}}', [1]), 506, 'in any spelling');
  t.equal(codeOf('{"u":{"city":"x"}', [1]), 1503);
  t.equal(
    codeOf('{"u":{"fresh":1},"auto-create":["column"]}', [1]),
    506,
    'nor a column that the request creates',
  );
  t.equal(codeOf('{"u":{"fresh":1,"city":"x"},"auto-create":["column"]}', null), null);
  t.end();
});

t.test('guesses learned from callers with more columns do not admit other callers', (t) => {
  const scratch = createIngestScratch();
  const codeOf = (body: string, columnIds: readonly number[] | null): number | null =>
    errorOf(t, scratch, body, columnIds)?.code ?? null;
  for (let round = 0; round < 3; round++) {
    t.equal(codeOf(ALL_COLUMNS, null), null);
    t.equal(codeOf(ALL_COLUMNS, [1, 3]), 506, 'a guess after another column');
    t.equal(codeOf(ALL_COLUMNS, null), null);
    t.equal(codeOf(ALL_COLUMNS, [2, 3]), 506, 'a guess of an entity’s first column');
    t.equal(codeOf(ALL_COLUMNS, [1, 2, 3]), null);
    t.equal(codeOf(ALL_COLUMNS, [1, 2]), 506, 'fewer of the same columns');
    t.equal(codeOf(ALL_COLUMNS, [1, 2, 11]), 506, 'the same number of other columns');
    t.equal(codeOf('{"u":{"age":1,"city":"x"}}', [1, 2]), null);
    t.equal(codeOf('{"u":{"age":1,"city":"x"}}', [1, 3]), 506);
  }
  t.end();
});

t.test('the list of columns is compared by contents, and may change after the parse', (t) => {
  const scratch = createIngestScratch();
  const columnIds = [1, 2, 3];
  t.equal(errorOf(t, scratch, ALL_COLUMNS, columnIds), null);
  t.equal(errorOf(t, scratch, ALL_COLUMNS, [1, 2, 3]), null);
  columnIds[1] = 12;
  t.equal(errorOf(t, scratch, ALL_COLUMNS, columnIds)?.code, 506);
  t.end();
});
