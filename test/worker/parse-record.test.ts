/** Insert bodies to log records and their answers; the `set` of an update to its batch. */
import { createHash } from 'node:crypto';
import t from 'tap';
import { decodeBatch } from '../../src/column/index.js';
import { decodeRecordPayload, type LogRecord } from '../../src/format/index.js';
import { createIngestScratch } from '../../src/ingest/index.js';
import type { ParsedRecord, ParsedSet, WorkerRequests } from '../../src/protocol/index.js';
import { parseRecord, parseSetRecord } from '../../src/worker/parse-record.js';
import { NOW_MS, sampleModel } from '../support/ingest/ingest-bodies.js';

const MODEL = sampleModel();
const SHARD_COUNT = 2;
const BODY =
  '{"a":{"country":"x","a-integer":1},"b":{"country":"y"},"c":{"list-of-string-values":["p","q"]}}';

interface Parsed {
  readonly answer: ParsedRecord;
  readonly record: LogRecord & { readonly type: 'insert' };
}

/** Parses `text` with `spareBytes` after it, and decodes the record. */
function parse(text: string, more: Partial<WorkerRequests['parse']> = {}, spareBytes = 4096): Parsed {
  const body = new TextEncoder().encode(text);
  const shared = new SharedArrayBuffer(body.length + spareBytes);
  new Uint8Array(shared).set(body);
  const rest = {
    databaseId: 1,
    nowMs: NOW_MS,
    customKey: false,
    columnIds: null,
    lines: null,
    idempotencyId: null,
  };
  const request = { ...rest, shared, bodyBytes: body.length, ...more };
  const answer = parseRecord(request, new Uint8Array(shared), MODEL, SHARD_COUNT, createIngestScratch());
  const record = decodeRecordPayload(
    new Uint8Array(answer.buffer ?? shared, answer.recordAt, answer.recordBytes),
  );
  if (record.type !== 'insert') throw new Error(`a record of type ${record.type}`);
  return { answer, record };
}

t.test(
  'the record has the counts, time and database of the request, and its batches at the offsets in the answer',
  (t) => {
    for (const spareBytes of [4096, 0]) {
      const { answer, record } = parse(BODY, {}, spareBytes);
      const { batches, ...head } = record;
      t.strictSame(head, {
        type: 'insert',
        timeMs: NOW_MS,
        databaseId: 1,
        changes: [],
        shardCount: SHARD_COUNT,
        entityCount: 3,
        valueCount: 5,
        once: null,
      });
      const { entityCount, valueCount, idempotency, modelVersion, changes } = answer;
      t.strictSame(
        { entityCount, valueCount, idempotency, modelVersion, changes },
        { entityCount: 3, valueCount: 5, idempotency: null, modelVersion: MODEL.version, changes: [] },
      );
      t.equal(
        answer.buffer === null,
        spareBytes > 0,
        'a separate buffer is used only if that of the request is full',
      );
      t.same(
        batches.map(({ shard, bytes }) => [shard, bytes.byteLength]),
        answer.batches.map(({ shard, byteLength }) => [shard, byteLength]),
      );
      t.equal(
        batches.reduce(
          (sum, { bytes }) => sum + decodeBatch(bytes.slice().buffer, 0, bytes.byteLength).rowCount,
          0,
        ),
        3,
      );
    }
    t.end();
  },
);

t.test(
  'the record and the answer of a write with an idempotency key have its ID and the hash of its body',
  (t) => {
    const bodyHash = createHash('sha256').update(BODY).digest('base64url');
    const { answer, record } = parse(BODY, { idempotencyId: 'named' });
    t.strictSame(answer.idempotency, { id: 'named', bodyHash });
    t.strictSame(record.once, { id: 'named', bodyHash });
    t.not(
      parse(`${BODY} `, { idempotencyId: 'named' }).answer.idempotency?.bodyHash,
      bodyHash,
      'a body with an additional space is a different body',
    );
    t.end();
  },
);

t.test('a request without entities produces a record', (t) => {
  const { answer, record } = parse('{}', { idempotencyId: 'named' });
  const idempotency = { id: 'named', bodyHash: createHash('sha256').update('{}').digest('base64url') };
  t.strictSame(
    [answer.entityCount, answer.valueCount, answer.batches, answer.idempotency],
    [0, 0, [], idempotency],
  );
  t.strictSame([record.entityCount, record.valueCount, record.batches, record.once], [0, 0, [], idempotency]);
  t.end();
});

t.test('the record and the answer list created dimensions and columns', (t) => {
  const body = '{"u":{"dimension":"second","fresh":1},"auto-create":["dimension","column"]}';
  const { answer, record } = parse(body);
  const dimensionId = MODEL.nextDimensionId;
  t.match(answer.changes, [
    { change: 'dimension-created', databaseId: 1, dimension: { id: dimensionId, apiName: 'second' } },
    { change: 'column-created', databaseId: 1, dimensionId, column: { apiName: 'fresh', type: 'integer' } },
  ]);
  t.equal(record.changes.length, 2);
  t.end();
});

t.test('refusals have their codes, also for a column that the caller may not write', (t) => {
  t.throws(() => parse('{"u":{"nope":1}}'), { name: 'QuarryError', code: 2011 });
  t.throws(() => parse(BODY, { columnIds: [] }), { name: 'QuarryError', code: 506 });
  t.end();
});

const scratch = createIngestScratch();

/** Parses the JSON text of a `set`. */
function parseUpdate(text: string, more: Partial<WorkerRequests['parse-set']> = {}): ParsedSet {
  const body = new TextEncoder().encode(`{"all":${text}}`);
  const rest = { databaseId: 1, nowMs: NOW_MS, customKey: false, columnIds: null };
  return parseSetRecord({ ...rest, body, ...more }, MODEL, scratch);
}

const idOf = (apiName: string): number => MODEL.dimensions.get('people')?.columns.get(apiName)?.id ?? -1;

t.test('a set becomes one batch of one entity in a buffer of its own', (t) => {
  const { batch, modelVersion } = parseUpdate(
    `{"dimension":"people","country":"X","a-integer":null,"visit-page":[{"value":"a"},{"value":"b"}],
      "list-of-integer-values":[]}`,
  );
  parseUpdate('{"country":"another"}');
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
  const { batch } = parseUpdate('{"integer-event":[]}');
  t.strictSame(decodeBatch(batch.buffer, 0, batch.byteLength).sections, []);
  t.end();
});

t.test('a set is validated like an insert, and messages call it "set"', (t) => {
  const refusal = (code: number, message: string) => ({ name: 'QuarryError', code, message });
  t.throws(
    () => parseUpdate('{"a-date":"2026-02-30"}'),
    refusal(2014, '"set", column "a-date": "2026-02-30" is not a date YYYY-MM-DD'),
  );
  t.throws(() => parseUpdate('{}'), refusal(2017, '"set": no column is given'));
  t.throws(
    () => parseUpdate('{"nope":1}'),
    refusal(2011, '"set": there is no column "nope" in dimension "default"'),
  );
  t.throws(() => parseUpdate('{"entity-id":"x"}'), { code: 2020 });
  t.throws(
    () => parseUpdate('{"country":"x","a-integer":1}', { columnIds: [1] }),
    refusal(506, '"set": the key may not write the column "a-integer" in dimension "default"'),
  );
  t.throws(
    () => parseUpdate('{"visit-page":{"value":"a"},"visit-price":[]}'),
    refusal(
      2022,
      '"set": unequal numbers of events in the relation "visit": 1 in the column "visit-page", 0 in the column "visit-price"',
    ),
  );
  t.end();
});

t.test('a body with another number of entities is an InvariantError', (t) => {
  for (const body of ['{}', '{"a":{"country":"x"},"b":{"country":"x"}}'])
    t.throws(() => parseUpdate('{}', { body: new TextEncoder().encode(body) }), { name: 'InvariantError' });
  t.end();
});
