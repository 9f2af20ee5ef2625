/** The `set` of an update to its batch of one entity. */
import t from 'tap';
import { decodeBatch } from '../../src/column/index.js';
import { createIngestScratch } from '../../src/ingest/index.js';
import type { ParsedSet, WorkerRequests } from '../../src/protocol/index.js';
import { parseSet } from '../../src/worker/parse-set.js';
import { NOW_MS, sampleModel } from '../support/ingest/ingest-bodies.js';

const MODEL = sampleModel();
const scratch = createIngestScratch();

/** Parses the set that the object `text` is. */
function parse(text: string, more: Partial<WorkerRequests['parse-set']> = {}): ParsedSet {
  const body = new TextEncoder().encode(`{"all":${text}}`);
  const rest = { databaseId: 1, nowMs: NOW_MS, customKey: false, columnIds: null };
  return parseSet({ ...rest, body, ...more }, MODEL, scratch);
}

const idOf = (apiName: string): number => MODEL.dimensions.get('people')?.columns.get(apiName)?.id ?? -1;

t.test('a set becomes one batch of one entity in a buffer of its own', (t) => {
  const { batch, modelVersion } = parse(
    `{"dimension":"people","country":"X","a-integer":null,"visit-page":[{"value":"a"},{"value":"b"}],
      "list-of-integer-values":[]}`,
  );
  parse('{"country":"another"}');
  t.equal(modelVersion, MODEL.version);
  t.strictSame([batch.byteOffset, batch.buffer.byteLength], [0, batch.byteLength]);
  const decoded = decodeBatch(batch.buffer, 0, batch.byteLength);
  t.strictSame([decoded.dimensionId, decoded.rowCount], [2, 1]);
  t.strictSame(
    decoded.sections.map(({ columnId, form, relationId, rows }) => [columnId, form, relationId, [...rows]]),
    [
      [idOf('country'), 'latest', 0, [0]],
      [idOf('a-integer'), 'remove', 0, [0]],
      [idOf('visit-page'), 'event', MODEL.dimensions.get('people')?.relations.get('visit')?.id, [0, 0]],
      [idOf('list-of-integer-values'), 'list', 0, [0]],
    ],
  );
  t.end();
});

t.test('a set without changes is a batch without sections', (t) => {
  const { batch } = parse('{"integer-event":[]}');
  t.strictSame(decodeBatch(batch.buffer, 0, batch.byteLength).sections, []);
  t.end();
});

t.test('a set is validated like an insert, and messages call it "set"', (t) => {
  const refusal = (code: number, message: string) => ({ name: 'QuarryError', code, message });
  t.throws(
    () => parse('{"a-date":"2026-02-30"}'),
    refusal(2014, '"set", column "a-date": "2026-02-30" is not a date YYYY-MM-DD'),
  );
  t.throws(() => parse('{}'), refusal(2017, '"set": no column is given'));
  t.throws(
    () => parse('{"nope":1}'),
    refusal(2011, '"set": there is no column "nope" in dimension "default"'),
  );
  t.throws(() => parse('{"entity-id":"x"}'), { code: 2020 });
  t.throws(
    () => parse('{"country":"x","a-integer":1}', { columnIds: [1] }),
    refusal(506, '"set": the key may not write the column "a-integer" in dimension "default"'),
  );
  t.throws(
    () => parse('{"visit-page":{"value":"a"},"visit-price":[]}'),
    refusal(
      2022,
      '"set": unequal numbers of events in the relation "visit": 1 in the column "visit-page", 0 in the column "visit-price"',
    ),
  );
  t.end();
});

t.test('a body with another number of entities is an InvariantError', (t) => {
  for (const body of ['{}', '{"a":{"country":"x"},"b":{"country":"x"}}'])
    t.throws(() => parse('{}', { body: new TextEncoder().encode(body) }), { name: 'InvariantError' });
  t.end();
});
