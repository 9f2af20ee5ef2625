/** Compares the result of parseInsert with the oracle: codes, counts, created objects, and every value. */
import { hashBytes, shardOf } from '../../../src/base/index.js';
import { type Batch, decodeBatch, type Section, type Values } from '../../../src/column/index.js';
import type { ParsedInsert } from '../../../src/ingest/index.js';
import type { OracleResult, OracleValues } from './ingest-oracle.js';

const decoder = new TextDecoder('utf-8', { fatal: true });

function check(condition: boolean, what: string): void {
  if (!condition) throw new Error(what);
}

/** The text of string `index`; checks its hash. */
function textAt(bytes: Uint8Array, offsets: Uint32Array, hashes: Uint32Array, index: number): string {
  check(
    hashes[index] === hashBytes(bytes, offsets[index], offsets[index + 1]),
    'a hash differs from its bytes',
  );
  return decoder.decode(bytes.subarray(offsets[index], offsets[index + 1]));
}

function valueAt(values: Values, index: number): string {
  switch (values.kind) {
    case 'bits':
      return String(values.bits[index]);
    case 'i32':
      return String(values.i32[index]);
    case 'i64':
      return String((BigInt(values.words[index * 2 + 1] | 0) << 32n) | BigInt(values.words[index * 2]));
    case 'geo':
      check(
        !Object.is(values.f64[index * 2], -0) && !Object.is(values.f64[index * 2 + 1], -0),
        'minus zero in a point',
      );
      return `${values.f64[index * 2]} ${values.f64[index * 2 + 1]}`;
    case 'code':
      return textAt(values.bytes, values.offsets, values.hashes, index);
  }
}

/** Adds the values of `section` to the columns of its batch's entities. */
function addSection(section: Section, columns: readonly Map<number, OracleValues>[]): void {
  let value = 0;
  const { relationId } = section;
  check(relationId === 0 || section.form === 'event', 'a section without events has a relation');
  section.rows.forEach((row, index) => {
    check(index === 0 || section.rows[index - 1] <= row, 'rows do not ascend');
    check(row < columns.length, 'a row is beyond the batch');
    const of = columns[row];
    const before = of.get(section.columnId);
    if (section.form === 'remove') {
      check(before === undefined || before.form === 'remove', 'a row both has a value and lost it');
      of.set(section.columnId, { form: 'remove' });
    } else if (section.form === 'latest') {
      check(before?.form !== 'remove', 'a row both lost its value and has one');
      of.set(section.columnId, { form: 'latest', value: valueAt(section.values, value++) });
    } else if (section.form === 'event') {
      const events = before?.form === 'event' ? before.events : [];
      const event = `${section.dates?.[index]} ${valueAt(section.values, value++)}`;
      of.set(section.columnId, { form: 'event', relationId, events: [...events, event] });
    } else {
      const count = section.counts?.[index] ?? 0;
      const values = Array.from({ length: count }, () => valueAt(section.values, value++));
      of.set(section.columnId, { form: 'list', values });
    }
  });
  check(value === section.valueCount, 'a section holds other values than its rows have');
}

function entitiesOf(batch: Batch): { id: string; columns: Map<number, OracleValues> }[] {
  const columns = Array.from({ length: batch.rowCount }, () => new Map<number, OracleValues>());
  const seen = new Set<string>();
  for (const section of batch.sections) {
    check(section.rows.length > 0, 'a section is empty');
    check(!seen.has(`${section.columnId} ${section.form}`), 'a section stands twice');
    seen.add(`${section.columnId} ${section.form}`);
    addSection(section, columns);
  }
  return columns.map((of, row) => ({
    id: textAt(batch.idBytes, batch.idOffsets, batch.idHashes, row),
    columns: of,
  }));
}

const sorted = (columns: ReadonlyMap<number, OracleValues>): [number, OracleValues][] =>
  [...columns]
    .filter(([, column]) => column.form !== 'event' || column.events.length > 0)
    .sort(([a], [b]) => a - b);

const plain = (value: unknown): string =>
  JSON.stringify(value, (_, one) => (typeof one === 'bigint' ? `${one}n` : one));

/** Describes the first difference; null if there is none. */
export function differenceOf(
  parsed: ParsedInsert,
  expected: OracleResult,
  shardCount: number,
): string | null {
  try {
    check(parsed.entityCount === expected.entities.length, `${parsed.entityCount} entities`);
    check(
      parsed.valueCount === expected.valueCount,
      `${parsed.valueCount} values, not ${expected.valueCount}`,
    );
    const dimensions = parsed.createdDimensions.map(({ id, apiName }) => ({ id, apiName }));
    check(plain(dimensions) === plain(expected.createdDimensions), `created ${plain(dimensions)}`);
    check(
      plain(parsed.createdColumns) === plain(expected.createdColumns),
      `created ${plain(parsed.createdColumns)}`,
    );
    const locations = new Set<string>();
    let end = parsed.batches[0]?.offset ?? 0;
    const found = new Map<string, string[]>();
    for (const { shard, dimensionId, offset, byteLength } of parsed.batches) {
      check(offset === end && offset % 8 === 0 && byteLength % 8 === 0, 'batches are not contiguous');
      check(!locations.has(`${shard} ${dimensionId}`), 'a shard and dimension has two batches');
      locations.add(`${shard} ${dimensionId}`);
      end = offset + byteLength;
      const batch = decodeBatch(parsed.buffer, offset, byteLength);
      check(batch.dimensionId === dimensionId && batch.rowCount > 0, 'a batch does not match its entry');
      batch.idHashes.forEach((hash) => {
        check(shardOf(hash, shardCount) === shard, 'an entity is in a wrong shard');
      });
      const entities = entitiesOf(batch).map(({ id, columns }) => plain([id, sorted(columns)]));
      found.set(`${shard} ${dimensionId}`, entities);
    }
    check(end <= parsed.buffer.byteLength, 'the batches are longer than their buffer');
    const wanted = new Map<string, string[]>();
    for (const { id, dimensionId, columns } of expected.entities) {
      const bytes = new TextEncoder().encode(id);
      const key = `${shardOf(hashBytes(bytes, 0, bytes.length), shardCount)} ${dimensionId}`;
      wanted.set(key, [...(wanted.get(key) ?? []), plain([id, sorted(columns)])]);
    }
    const order = (map: Map<string, string[]>): string =>
      plain([...map].sort(([a], [b]) => (a < b ? -1 : 1)));
    check(order(found) === order(wanted), `found ${order(found)}\nexpected ${order(wanted)}`);
    return null;
  } catch (thrown) {
    return (thrown as Error).message;
  }
}
