import { Table, tableFromArrays, tableToIPC } from 'apache-arrow';
import t from 'tap';
import { Prng } from '../../../src/base/index.js';
import { decodeBatch, type Section } from '../../../src/column/index.js';
import type { ColumnsOutcome } from '../../../src/ingest/columnar/parse-columns.js';
import {
  createIngestScratch,
  keyedLines,
  type LineKeySettings,
  type ParsedInsert,
  parseColumns,
  parseRecords,
  type RecordMapping,
} from '../../../src/ingest/index.js';
import { column, dimension, modelOf, NOW_MS, relation } from '../../support/ingest/ingest-bodies.js';
import { makeTable } from './arrow-tables.js';

const SEED = Number(process.env.QUARRY_TEST_SEED ?? 20_261);
const ROUNDS = Number(process.env.QUARRY_TEST_ROUNDS ?? 150);
const DAMAGED_ROUNDS = 10 * ROUNDS;

const EVENTS = [
  column(7, 'visit', 'string-event', { storage: null }),
  column(8, 'response', 'integer-event', { storage: null }),
];
const MODEL = modelOf([
  dimension(
    1,
    'default',
    [
      column(1, 'name', 'string'),
      column(2, 'exact', 'string', { textCase: 'preserve' }),
      column(3, 'status', 'integer'),
      column(4, 'share', 'decimal', { decimalPlaces: 4 }),
      column(5, 'ratio', 'decimal', { decimalPlaces: 5 }),
      column(6, 'is-new', 'boolean'),
      ...EVENTS,
      column(9, 'born', 'date'),
      column(10, 'seen', 'datetime'),
      column(11, 'tags', 'string', { storage: 'list-of-values' }),
      column(12, 'level', 'enumerated', { range: [0n, 3n, 7n] }),
    ],
    [relation(1, 'request', EVENTS, ['visit', 'response'])],
  ),
]);
const CONTEXT = { model: MODEL, shardCount: 3, nowMs: NOW_MS, customKey: false, columnIds: null };
const MAPPING: RecordMapping = {
  format: 'arrow',
  delimiter: ',',
  dimension: null,
  id: { from: 'field', field: 'user id' },
  events: [
    { column: 'visit', field: 'path', dateField: 'ts' },
    { column: 'response', field: 'code', dateField: 'ts' },
  ],
  time: null,
  eventFields: null,
  dedupe: null,
  unknown: 'refuse',
  createsColumns: false,
  createsDimension: false,
};

const streamOf = (table: Table): Uint8Array => new Uint8Array(tableToIPC(table, 'stream'));

const NO_KEYS: LineKeySettings = { keys: null, omitted: [] };

const parse = (
  bytes: Uint8Array,
  mapping = MAPPING,
  context = CONTEXT,
  keySettings = NO_KEYS,
): ColumnsOutcome =>
  parseColumns(bytes, { first: 1, databaseId: 1, keySettings }, mapping, context, createIngestScratch());

/** What a parse inserts, by shard, row and column. */
function contents({ buffer, batches }: ParsedInsert): Map<string, unknown> {
  const found = new Map<string, unknown>();
  for (const { shard, offset, byteLength } of batches) {
    const { rowCount, idHashes, idOffsets, idBytes, sections } = decodeBatch(buffer, offset, byteLength);
    for (let row = 0; row < rowCount; row++) {
      const id = textOf(idBytes, idOffsets, row);
      found.set(`${shard} ${row} id`, [id, idHashes[row]]);
    }
    for (const section of sections) addSection(found, shard, section);
  }
  return found;
}

const textOf = (bytes: Uint8Array, offsets: Uint32Array, index: number): string =>
  Buffer.from(bytes.slice(offsets[index], offsets[index + 1])).toString();

function addSection(found: Map<string, unknown>, shard: number, section: Section): void {
  let value = 0;
  section.rows.forEach((row, entry) => {
    const count = section.counts?.[entry] ?? 1;
    const own = Array.from({ length: count }, () => valueAt(section, value++));
    const { form, dates, relationId } = section;
    found.set(`${shard} ${row} ${section.columnId}`, [form, own, dates?.[entry] ?? null, relationId]);
  });
}

function valueAt({ values }: Section, index: number): unknown {
  switch (values.kind) {
    case 'bits':
      return values.bits[index];
    case 'i32':
      return values.i32[index];
    case 'i64':
      return [values.words[index * 2], values.words[index * 2 + 1]];
    case 'geo':
      return [values.f64[index * 2], values.f64[index * 2 + 1]];
    case 'code':
      return [textOf(values.bytes, values.offsets, index), values.hashes[index]];
  }
}

t.test('rows of Arrow insert what the same rows insert as JSON', async (t) => {
  const random = new Prng(SEED);
  for (let round = 0; round < ROUNDS; round++) {
    const count = 1 + random.below(round % 10 === 0 ? 700 : 40);
    const { table, records } = makeTable(random, NOW_MS, count);
    const from = parse(streamOf(table));
    const lines = Buffer.from(records.join('\n'));
    const numbers = { head: 0, first: 1 };
    const to = parseRecords(lines, numbers, { ...MAPPING, format: 'json' }, CONTEXT, createIngestScratch());
    const what = `seed ${SEED}, round ${round}`;
    if ('error' in from || 'error' in to) {
      const codes = [from, to].map((one) => ('error' in one ? one.error.code : 'none'));
      if (codes[0] !== codes[1]) t.strictSame(from, to, `${what}: ${JSON.stringify({ from, to }, bigText)}`);
      continue;
    }
    t.equal(from.parsed.entityCount, to.parsed.entityCount, what);
    t.equal(from.parsed.valueCount, to.parsed.valueCount, what);
    t.strictSame(contents(from.parsed), contents(to.parsed), what);
  }
});

const bigText = (_: string, value: unknown): unknown => (value instanceof Uint8Array ? undefined : value);

t.test('rows of Arrow have the keys of the same rows as JSON, and repeats are left out', async (t) => {
  const random = new Prng(SEED);
  const mapping = { ...MAPPING, dedupe: 'user id' };
  const json = { ...mapping, format: 'json' } as const;
  const numbers = { head: 0, first: 1 };
  let omittedCount = 0;
  for (let round = 0; round < ROUNDS / 5; round++) {
    const { table, records } = makeTable(random, NOW_MS, 1 + random.below(60));
    const text = Buffer.from(records.join('\n'));
    const what = `seed ${SEED}, round ${round}`;
    const scratch = createIngestScratch();
    let settings = NO_KEYS;
    for (let parses = 0; parses < 2; parses++) {
      const keyed = keyedLines(text, numbers, settings, { mapping: json, databaseId: 1 }, scratch);
      const to = parseRecords(keyed.text, numbers, json, CONTEXT, scratch);
      const from = parse(streamOf(table), mapping, CONTEXT, settings);
      if ('error' in from || 'error' in to) {
        // A line that is left out is not read, a row is.
        t.ok('error' in from, what);
        break;
      }
      t.strictSame([...(from.keyed?.keys ?? [])], [...keyed.keys], what);
      t.strictSame(new Set(from.keyed?.omitted), new Set(keyed.omitted), what);
      t.equal(from.parsed.entityCount, to.parsed.entityCount, what);
      t.strictSame(contents(from.parsed), contents(to.parsed), what);
      omittedCount += keyed.omitted.length;
      // The next parse leaves out the first row, too.
      settings = { keys: keyed.keys.slice().fill(0, 0, 16), omitted: [...keyed.omitted, 0] };
    }
  }
  t.ok(omittedCount > ROUNDS, `${omittedCount} rows were left out`);
});

t.test('the field of keys may be another one, and every row has a value in it', async (t) => {
  const made = (values: object): Uint8Array =>
    streamOf(tableFromArrays({ 'user id': ['a', 'b', 'a'], status: [1, 2, 3], ...values }));
  const mapping = { ...MAPPING, events: [], dedupe: 'Seq' };
  const parsed = (values: object, more: Partial<RecordMapping> = {}) =>
    parse(made(values), { ...mapping, ...more });
  t.match(parsed({ seq: ['x', 'y', 'x'] }), {
    parsed: { entityCount: 2, createdColumns: [] },
    keyed: { omitted: [2] },
  });
  t.match(parsed({ seq: Int32Array.of(7, 7, 7) }), {
    parsed: { entityCount: 1 },
    keyed: { omitted: [1, 2] },
  });
  t.match(parsed({ seq: ['x', 'y', 'x'] }, { unknown: 'create', createsColumns: true }), {
    parsed: { createdColumns: [{ column: { apiName: 'seq' } }] },
  });
  t.match(parsed({ seq: ['x', null, 'x'] }), { error: { code: 2003, message: /row 2, field "seq"/ } });
  t.match(parsed({ seq: ['x', '', 'x'] }), { error: { code: 2003 } });
  t.match(parsed({ seq: Float64Array.of(1, 2, 3) }), { error: { code: 2007, message: /"seq"/ } });
  t.match(parsed({}), { error: { code: 2011, message: /"Seq"/ } });
  const other = parse(made({ seq: ['x', 'y', 'x'] }), { ...mapping, dimension: null });
  const cased = parsed({ seq: ['X', 'y', 'x'] });
  t.match([other, cased], [{ keyed: { omitted: [2] } }, { keyed: { omitted: [] } }], 'case tells keys apart');
});

t.test('a sliced table and a table without rows', async (t) => {
  const random = new Prng(SEED);
  const { table, records } = makeTable(random, NOW_MS, 60);
  const from = parse(streamOf(table.slice(7, 40)));
  const lines = Buffer.from(records.slice(7, 40).join('\n'));
  const json = { ...MAPPING, format: 'json' } as const;
  const to = parseRecords(lines, { head: 0, first: 1 }, json, CONTEXT, createIngestScratch());
  if ('error' in from || 'error' in to) t.fail(`seed ${SEED}`);
  else t.strictSame(contents(from.parsed), contents(to.parsed));
  const empty = new Table(table.schema, table.batches[0].slice(0, 0));
  t.match(parse(streamOf(empty)), { parsed: { entityCount: 0 } });
});

t.test('damaged streams are refused, whatever is wrong with them', async (t) => {
  const random = new Prng(SEED);
  let refusedCount = 0;
  for (let round = 0; round < DAMAGED_ROUNDS; round++) {
    const { table } = makeTable(random, NOW_MS, 1 + random.below(20));
    const bytes = streamOf(table);
    const damaged = random.below(5) === 0 ? bytes.slice(0, random.below(bytes.length)) : bytes;
    for (let change = 1 + random.below(4); change > 0; change--) {
      const at = random.below(damaged.length || 1);
      damaged[at] = random.pick([0, 0xff, 0x7f, 0x80, damaged[at] ^ (1 << random.below(8))]);
    }
    const outcome = parse(damaged);
    if ('error' in outcome) refusedCount++;
  }
  t.ok(refusedCount > DAMAGED_ROUNDS / 10, `seed ${SEED}: ${refusedCount} of ${DAMAGED_ROUNDS} refused`);
});
