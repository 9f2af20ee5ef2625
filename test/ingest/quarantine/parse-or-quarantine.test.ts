import t from 'tap';
import { Prng } from '../../../src/base/index.js';
import { createIngestScratch, type ParsedInsert, parseLines } from '../../../src/ingest/index.js';
import {
  parseOrQuarantine,
  type QuarantineOutcome,
} from '../../../src/ingest/quarantine/parse-or-quarantine.js';
import { withQuarantine } from '../../../src/ingest/quarantine/quarantine-model.js';
import type { RecordMapping } from '../../../src/ingest/records/mapping.js';
import { compileKernels } from '../../../src/kernels/index.js';
import { wasmBytes } from '../../kernels/twin-arena.js';
import { column, dimension, modelOf, NOW_MS } from '../../support/ingest/ingest-bodies.js';

const MODEL = modelOf([
  dimension(1, 'default', [column(1, 'name', 'string'), column(2, 'age', 'integer')]),
  dimension(2, 'people', [column(11, 'name', 'string')]),
]);
const CONTEXT = { model: MODEL, shardCount: 1, nowMs: NOW_MS, customKey: false, columnIds: null };
const SETTINGS = { source: 'key', requestId: 'r', parameters: '' };
const scratch = createIngestScratch(compileKernels(wasmBytes()));
const reference = createIngestScratch(null);
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

function parsed(
  text: string,
  mapping: RecordMapping | null = null,
  numbers = { head: 0, first: 1 },
  context: Parameters<typeof parseOrQuarantine>[1] = CONTEXT,
): QuarantineOutcome {
  return parseOrQuarantine({ text: bytesOf(text), numbers, mapping, settings: SETTINGS }, context, scratch);
}

/** The bytes of the batch of a dimension; empty if it has none. */
function batchOf({ batches, buffer }: ParsedInsert, dimensionId: number): Uint8Array {
  const found = batches.find((batch) => batch.dimensionId === dimensionId);
  return found === undefined
    ? new Uint8Array(0)
    : new Uint8Array(buffer, found.offset, found.byteLength).slice();
}

const BAD = [
  '{"id":"x","age":"y"}',
  '{"age":1}',
  'no JSON',
  '{"id":"x","other":1}',
  '{"id":"x"}',
  '[]',
  '{"id":"x","name":""}',
];

t.test('the lines that are right are inserted as they would be alone, and all others are kept', async (t) => {
  const seed = 90_210;
  const random = new Prng(seed);
  for (let round = 0; round < 400; round++) {
    const share = random.pick([0, 0.02, 0.3, 1]);
    const lines = Array.from({ length: random.between(1, 60) }, (_, at) => {
      if (random.chance(0.1)) return { text: ' ', is: 'blank' as const };
      if (random.chance(share)) return { text: random.pick(BAD), is: 'bad' as const };
      return { text: `{"id":"u${random.between(0, 9)}","age":${at}}`, is: 'good' as const };
    });
    const good = lines.filter(({ is }) => is === 'good').map(({ text }) => text);
    const bad = lines.filter(({ is }) => is === 'bad');
    const got = parsed(lines.map(({ text }) => text).join('\n'));
    const wanted = parseLines(
      bytesOf(good.join('\n')),
      { head: 0, first: 1 },
      { ...CONTEXT, repeatsIds: true },
      reference,
    );
    if ('error' in got || 'error' in wanted) return t.fail(`seed ${seed}, round ${round}`, { got, wanted });
    const lineCount = 'quarantined' in got ? got.quarantined.lineCount : 0;
    const isRight =
      lineCount === bad.length &&
      got.parsed.entityCount === good.length + bad.length &&
      Buffer.compare(batchOf(got.parsed, 1), batchOf(wanted.parsed, 1)) === 0;
    if (!isRight)
      return t.fail(`seed ${seed}, round ${round}: ${lineCount} of ${bad.length} kept`, { lines });
  }
  t.pass();
});

t.test('what is kept is described, and counts apart from what is inserted', async (t) => {
  const text =
    '{"id":"a","age":1}\n{"id":"b","age":"x"}\n{"dimension":"people","id":"c","age":1}\n{"id":"d","age":"y"}';
  const outcome = parsed(text);
  if (!('quarantined' in outcome)) return t.fail('nothing is kept');
  t.match(outcome.quarantined, {
    lineCount: 3,
    dimensions: ['default-quarantine', 'people-quarantine'],
    first: { code: 2007, message: /^line 2: entity "b"/ },
  });
  t.strictSame(outcome.quarantined.codes, [
    [2007, 2],
    [2011, 1],
  ]);
  t.equal(outcome.parsed.valueCount - outcome.quarantined.valueCount, 1);
  t.equal(outcome.parsed.entityCount, 4);
  t.strictSame(
    outcome.parsed.createdDimensions.map(({ apiName }) => apiName),
    ['default-quarantine', 'people-quarantine'],
  );
});

t.test('types that do not go together keep a line each, and creation goes on', async (t) => {
  const head = '{"auto-create":["column"]}\n';
  const lines = Array.from({ length: 40 }, (_, at) => `{"id":"u${at}","port":${at % 4 === 3 ? '"x"' : at}}`);
  const outcome = parsed(head + lines.join('\n'), null, { head: 1, first: 2 });
  if (!('quarantined' in outcome)) return t.fail('nothing is kept', outcome);
  t.equal(outcome.quarantined.lineCount, 10);
  t.ok(
    outcome.parsed.createdColumns.some(
      ({ column: made }) => made.apiName === 'port' && made.type === 'integer',
    ),
  );
});

t.test('errors of the request, the key or the model refuse the whole part', async (t) => {
  const many = Array.from({ length: 1_001 }, (_, at) => `{"id":"u${at}","age":1}`).join('\n');
  const noName = { ...CONTEXT, columnIds: [2] };
  const cases: readonly (readonly [number, QuarantineOutcome])[] = [
    [2012, parsed(many)],
    [506, parsed('{"id":"a","name":"x"}', null, { head: 0, first: 1 }, noName)],
    [2007, parsed('{"auto-create":["x"]}\n{"id":"a","age":1}', null, { head: 1, first: 2 })],
  ];
  for (const [code, outcome] of cases) t.equal('error' in outcome && outcome.error.code, code);
});

t.test('a key that may write only some columns can have its lines kept', async (t) => {
  const made = withQuarantine(MODEL, 'default');
  t.notOk('error' in made);
  const outcome = parsed(
    '{"id":"a","age":"x"}',
    null,
    { head: 0, first: 1 },
    { ...CONTEXT, columnIds: [2], customKey: true },
  );
  t.match(outcome, { quarantined: { lineCount: 1 } });
});

t.test('records of CSV are kept with their header', async (t) => {
  const mapping: RecordMapping = {
    ...{ format: 'csv', delimiter: ',', dimension: null, events: [], eventFields: null, time: null },
    id: { from: 'field', field: 'id' },
    ...{ unknown: 'refuse', createsColumns: false, createsDimension: false },
  };
  const outcome = parsed('id,age\na,1\nb,x\nc', mapping, { head: 1, first: 2 });
  t.match(outcome, {
    quarantined: { lineCount: 2, dimensions: ['default-quarantine'] },
    parsed: { entityCount: 3 },
  });
});
