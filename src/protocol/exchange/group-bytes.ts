/**
 * Groups as a block of bytes (vector/blocks.ts):
 *   counts   u32  groupCount, whether restMax is present, the numbers of keys, aggregates and states
 *   restMax  f64  0 if it is absent
 *   states   u32  per aggregate: the number of its state, since aggregates of the same values share one
 *   the keys as columns (vector/column-bytes.ts), then the states
 * A state is an array of u32 with its kind (index in KINDS) and up to three numbers, followed by its arrays and columns.
 */
import {
  type AggregateState,
  type GroupPartial,
  type PartitionedTexts,
  TEXT_PARTITIONS,
  textWords,
} from '../../ir/index.js';
import {
  BlockReader,
  BlockWriter,
  COLUMN_HEAD_BYTES,
  checkBlock,
  readColumn,
  type WireVector,
  writeColumn,
} from '../../vector/index.js';

const MAGIC = 0x47_52_51_01;
const TEXTS_MAGIC = 0x54_52_51_01;
const KINDS = ['count', 'sum', 'squares', 'extreme', 'values', 'runs', 'bits', 'texts'] as const;
const STATE_HEAD_WORDS = 4;
const BITS_PER_WORD = 32;

type StateOf<Holds extends AggregateState['holds']> = Extract<AggregateState, { readonly holds: Holds }>;

/** The bytes of the groups, in memory of their own. Throws 9006 if they take 4 GiB or more. */
export function bytesOfGroups({ groupCount, restMax, keys, states }: GroupPartial): Uint8Array<ArrayBuffer> {
  const writer = new BlockWriter();
  const different = [...new Set(states)];
  const hasRest = restMax === undefined ? 0 : 1;
  writer.add(Uint32Array.of(groupCount, hasRest, keys.length, states.length, different.length));
  writer.add(Float64Array.of(restMax ?? 0));
  writer.add(Uint32Array.from(states, (state) => different.indexOf(state)));
  for (const key of keys) writeColumn(writer, key, groupCount);
  for (const state of different) writeState(writer, state, groupCount);
  return writer.finish(MAGIC);
}

/**
 * The groups of `bytesOfGroups`; arrays are views as those of `rowsOfBytes`. Throws a BlockError unless checksum, sizes and
 * values are right.
 */
export function groupsOfBytes(bytes: Uint8Array<ArrayBufferLike>): GroupPartial {
  const reader = new BlockReader(bytes, MAGIC);
  const [groupCount, hasRest, keyCount, aggregateCount, stateCount] = reader.array(Uint32Array, 5);
  const [restMax] = reader.array(Float64Array, 1);
  const numbers = reader.array(Uint32Array, aggregateCount);
  checkBlock((keyCount + stateCount) * COLUMN_HEAD_BYTES <= reader.restBytes, 'keys or states are cut off');
  const keys = Array.from({ length: keyCount }, () => readColumn(reader, groupCount));
  const different = Array.from({ length: stateCount }, () => readState(reader, groupCount));
  reader.end();
  checkBlock(hasRest <= 1 && isCount(restMax), 'a count of omitted groups that is none');
  const states = Array.from(numbers, (number) => {
    checkBlock(number < stateCount, 'an aggregate without a state');
    return different[number];
  });
  return { groupCount, ...(hasRest === 1 ? { restMax } : {}), keys, states };
}

function writeState(writer: BlockWriter, state: AggregateState, groupCount: number): void {
  const column = (of: WireVector): void => writeColumn(writer, of, groupCount);
  switch (state.holds) {
    case 'sum':
    case 'squares':
    case 'count':
      writeHead(writer, state);
      writer.add(state.counts.subarray(0, groupCount));
      if (state.holds !== 'count') column(state.sums);
      if (state.holds === 'squares') column(state.squares);
      break;
    case 'extreme':
      writeHead(writer, state);
      column(state.values);
      break;
    case 'values': {
      const { groups, counts, values } = state;
      writeHead(writer, state, values.count, groups === null ? 0 : 1, counts === null ? 0 : 1);
      if (groups !== null) writer.add(groups.subarray(0, values.count));
      if (counts !== null) writer.add(counts.subarray(0, values.count));
      writeColumn(writer, values, values.count);
      break;
    }
    case 'runs': {
      const { starts, values, areOrdered } = state;
      const [first, end] = [starts[0], starts[groupCount]];
      writeHead(writer, state, end - first, areOrdered ? 1 : 0);
      writer.add(starts.subarray(0, groupCount + 1).map((start) => start - first));
      writer.add(values.subarray(first, end));
      break;
    }
    case 'bits':
      writeHead(writer, state, state.words.length);
      writer.add(Float64Array.of(state.least));
      writer.add(state.words);
      break;
    case 'texts':
      writeHead(writer, state);
      writeTexts(writer, state.texts, 0, TEXT_PARTITIONS);
  }
}

function writeHead(writer: BlockWriter, { holds }: AggregateState, ...numbers: readonly number[]): void {
  const words = new Uint32Array(STATE_HEAD_WORDS);
  words.set([KINDS.indexOf(holds), ...numbers]);
  writer.add(words);
}

function readState(reader: BlockReader, groupCount: number): AggregateState {
  const [kind, first, second, third] = reader.array(Uint32Array, STATE_HEAD_WORDS);
  checkBlock(kind < KINDS.length, `a state of kind ${kind}`);
  const holds = KINDS[kind];
  switch (holds) {
    case 'count':
      return { holds, counts: countsOf(reader, groupCount) };
    case 'sum':
      return { holds, counts: countsOf(reader, groupCount), sums: exact(readColumn(reader, groupCount)) };
    case 'squares': {
      const counts = countsOf(reader, groupCount);
      const sums = exact(readColumn(reader, groupCount));
      return { holds, counts, sums, squares: exact(readColumn(reader, groupCount)) };
    }
    case 'extreme':
      return { holds, values: readColumn(reader, groupCount) };
    case 'values':
      return readValues(reader, groupCount, first, second === 1, third === 1);
    case 'runs':
      return readRuns(reader, groupCount, first, second === 1);
    case 'bits': {
      const [least] = reader.array(Float64Array, 1);
      checkBlock(
        Number.isSafeInteger(least) && least % BITS_PER_WORD === 0,
        'bits from an impossible value on',
      );
      return { holds, least, words: reader.array(Uint32Array, first) };
    }
    case 'texts':
      return { holds, texts: readTexts(reader) };
  }
}

function exact(column: WireVector): WireVector {
  checkBlock(column.kind === 'exact', 'a sum that is not exact');
  return column;
}

const isCount = (value: number): boolean => Number.isSafeInteger(value) && value >= 0;

function countsOf(reader: BlockReader, length: number): Float64Array {
  const counts = reader.array(Float64Array, length);
  for (const count of counts) checkBlock(isCount(count), 'a count that is none');
  return counts;
}

function readValues(
  reader: BlockReader,
  groupCount: number,
  count: number,
  hasGroups: boolean,
  hasCounts: boolean,
): StateOf<'values'> {
  const groups = hasGroups ? reader.array(Uint32Array, count) : null;
  for (const group of groups ?? []) checkBlock(group < groupCount, 'a value without a group');
  checkBlock(groups !== null || groupCount <= 1 || count === 0, 'values without groups');
  const counts = hasCounts ? countsOf(reader, count) : null;
  return { holds: 'values', groups, counts, values: readColumn(reader, count) };
}

function readRuns(
  reader: BlockReader,
  groupCount: number,
  count: number,
  areOrdered: boolean,
): StateOf<'runs'> {
  const starts = reader.array(Uint32Array, groupCount + 1);
  checkBlock(starts[0] === 0 && starts[groupCount] === count, 'runs do not fill their values');
  for (let group = 0; group < groupCount; group++)
    checkBlock(starts[group] <= starts[group + 1], 'runs overlap');
  return { holds: 'runs', starts, values: reader.array(Float64Array, count), areOrdered };
}

/** The bytes of partitions [from, to) of the texts; the others are empty in them. Throws as `bytesOfGroups`. */
export function bytesOfTexts(texts: PartitionedTexts, from: number, to: number): Uint8Array<ArrayBuffer> {
  const writer = new BlockWriter();
  writeTexts(writer, texts, from, to);
  return writer.finish(TEXTS_MAGIC);
}

/** The texts of `bytesOfTexts`. Throws as `groupsOfBytes`. */
export function textsOfBytes(bytes: Uint8Array<ArrayBufferLike>): PartitionedTexts {
  const reader = new BlockReader(bytes, TEXTS_MAGIC);
  const texts = readTexts(reader);
  reader.end();
  return texts;
}

/** Counts of the texts of all partitions and starts, then the words. */
function writeTexts(
  writer: BlockWriter,
  { counts, starts, words }: PartitionedTexts,
  from: number,
  to: number,
): void {
  const [first, end] = [starts[from], starts[to]];
  writer.add(counts.map((count, partition) => (partition >= from && partition < to ? count : 0)));
  writer.add(starts.map((start) => Math.min(Math.max(start, first), end) - first));
  writer.add(words.subarray(first, end));
}

function readTexts(reader: BlockReader): PartitionedTexts {
  const counts = reader.array(Uint32Array, TEXT_PARTITIONS);
  const starts = reader.array(Float64Array, TEXT_PARTITIONS + 1);
  const wordCount = starts[TEXT_PARTITIONS];
  checkBlock(starts[0] === 0 && isCount(wordCount), 'texts do not fill their words');
  const words = reader.array(Uint32Array, wordCount);
  let count = 0;
  for (let partition = 0; partition < TEXT_PARTITIONS; partition++) {
    let at = starts[partition];
    for (let text = 0; text < counts[partition]; text++) {
      checkBlock(at + 1 < wordCount, 'a text is cut off');
      checkBlock(words[at] % TEXT_PARTITIONS === partition, 'a text in another partition');
      at += textWords(words[at + 1]);
    }
    checkBlock(at === starts[partition + 1], 'texts do not fill their partition');
    count += counts[partition];
  }
  return { count, counts, starts, words };
}
