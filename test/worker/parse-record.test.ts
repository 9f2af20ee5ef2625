/** Insert bodies to log records: what stands in the record, what the answer says, and where both lie. */
import { createHash } from 'node:crypto';
import t from 'tap';
import { decodeBatch } from '../../src/column/index.js';
import { decodeRecordPayload, type LogRecord } from '../../src/format/index.js';
import { createIngestScratch } from '../../src/ingest/index.js';
import type { ParsedRecord, WorkerRequests } from '../../src/protocol/index.js';
import { parseRecord } from '../../src/worker/parse-record.js';
import { NOW_MS, sampleModel } from '../support/ingest/ingest-bodies.js';

const MODEL = sampleModel();
const SHARD_COUNT = 2;
const BODY =
  '{"a":{"country":"x","a-integer":1},"b":{"country":"y"},"c":{"list-of-string-values":["p","q"]}}';

interface Parsed {
  readonly answer: ParsedRecord;
  readonly record: LogRecord & { readonly type: 'insert' };
}

/** Parses `text` with `spareBytes` behind it, and decodes the record. */
function parse(text: string, more: Partial<WorkerRequests['parse']> = {}, spareBytes = 4096): Parsed {
  const body = new TextEncoder().encode(text);
  const shared = new SharedArrayBuffer(body.length + spareBytes);
  new Uint8Array(shared).set(body);
  const rest = { databaseId: 1, nowMs: NOW_MS, customKey: false, columnIds: null, lines: null, onceId: null };
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
      const { entityCount, valueCount, once, modelVersion, changes } = answer;
      t.strictSame(
        { entityCount, valueCount, once, modelVersion, changes },
        { entityCount: 3, valueCount: 5, once: null, modelVersion: MODEL.version, changes: [] },
      );
      t.equal(answer.buffer === null, spareBytes > 0, 'a buffer of its own only where the given one is full');
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
    const { answer, record } = parse(BODY, { onceId: 'named' });
    t.strictSame(answer.once, { id: 'named', bodyHash });
    t.strictSame(record.once, { id: 'named', bodyHash });
    t.not(parse(`${BODY} `, { onceId: 'named' }).answer.once?.bodyHash, bodyHash, 'a space is another body');
    t.end();
  },
);

t.test('a request without entities gives a record', (t) => {
  const { answer, record } = parse('{}', { onceId: 'named' });
  const once = { id: 'named', bodyHash: createHash('sha256').update('{}').digest('base64url') };
  t.strictSame([answer.entityCount, answer.valueCount, answer.batches, answer.once], [0, 0, [], once]);
  t.strictSame([record.entityCount, record.valueCount, record.batches, record.once], [0, 0, [], once]);
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
