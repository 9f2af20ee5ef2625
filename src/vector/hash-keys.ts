/**
 * Hashes of group keys by value: equal keys have equal hashes in every shard, whatever its dictionaries and its layout
 * of integers. In slices.
 */
import {
  HASH_SEED,
  hashBlock,
  hashBytes,
  hashEnd,
  inSlices,
  type MemoryAccount,
  SLICE_TEXTS,
  type Task,
} from '../base/index.js';
import { isSafe } from './make.js';
import type { TextVector, Vector, WideIntegers } from './vector.js';
import { are64, halvesOf, safeNumberOf } from './wide-integers.js';
import type { WireVector } from './wire.js';

type WireText = Extract<WireVector, { readonly kind: 'text' }>;

const MISSING = 0x2545f491;
/** Words of an integer that is not a safe integer: at most 128 bits. */
const WIDE_WORDS = 4;

/**
 * A single key of integers is hashed in blocks of this many integers, so that the groups of a partition are runs of
 * neighbours, which are numbered by tables with an entry per integer without a cache miss each.
 */
const BLOCK_INTEGERS = 4_096;

/** The number of neighbouring integers with the same hash, for groups by `keyCount` keys. */
export const groupBlock = (keyCount: number): number => (keyCount === 1 ? BLOCK_INTEGERS : 1);

/** The hash of each row. Throws 9006. */
export function* hashKeys(
  keys: readonly WireVector[],
  count: number,
  memory: MemoryAccount,
): Task<Uint32Array> {
  const hashes = memory.u32(count).fill(HASH_SEED);
  const block = groupBlock(keys.length);
  for (const key of keys) {
    const ofTexts = key.kind === 'text' ? yield* hashTexts(key, memory) : null;
    yield* inSlices(count, (from, to) => {
      if (ofTexts !== null) addTexts(key as WireText, ofTexts, hashes, from, to);
      else if (key.kind === 'boolean') addBits(key.bits, key.valid, hashes, from, to);
      else if (key.kind === 'exact' && key.wide !== null) {
        addWide(key.wide, key.valid, block, hashes, from, to);
      } else {
        const { numbers } = key as { numbers: Float64Array };
        addNumbers(numbers, key.valid, key.kind === 'exact' ? block : 1, hashes, from, to);
      }
    });
    if (ofTexts !== null) memory.release(ofTexts.byteLength);
  }
  yield* inSlices(count, (from, to) => {
    for (let row = from; row < to; row++) hashes[row] = hashEnd(hashes[row], 0, keys.length);
  });
  return hashes;
}

/**
 * Writes the hash of each of `count` rows of vectors to `hashes`: with groupBlock as `block` the hashes of hashKeys, with 1
 * those by which equal numbers have equal hashes, whatever their type.
 */
export function hashRows(keys: readonly Vector[], count: number, hashes: Uint32Array, block: number): void {
  hashes.fill(HASH_SEED, 0, count);
  for (const key of keys) {
    if (key.kind === 'text') addTextRows(key, hashes, count);
    else if (key.kind === 'boolean') addBits(key.bits, key.valid, hashes, 0, count);
    else if (key.kind === 'exact' && key.wide !== null) addWide(key.wide, key.valid, block, hashes, 0, count);
    else {
      const { numbers } = key as { numbers: Float64Array };
      addNumbers(numbers, key.valid, key.kind === 'exact' ? block : 1, hashes, 0, count);
    }
  }
  for (let row = 0; row < count; row++) hashes[row] = hashEnd(hashes[row], 0, keys.length);
}

function addTextRows({ texts, codes, valid }: TextVector, hashes: Uint32Array, count: number): void {
  const { offsets, bytes } = texts.utf8;
  const known = texts.hashes;
  for (let row = 0; row < count; row++) {
    const code = codes === null ? row : codes[row];
    let hash = MISSING;
    if (valid === null || valid[row] === 1) {
      const from = offsets[code];
      const to = offsets[code + 1];
      hash = known !== null && from < to ? known[code] : hashBytes(bytes, from, to);
    }
    hashes[row] = hashBlock(hashes[row], hash);
  }
}

function* hashTexts(
  { offsets, bytes, hashes: known = null }: WireText,
  memory: MemoryAccount,
): Task<Uint32Array> {
  const hashes = memory.u32(offsets.length - 1);
  if (known !== null) {
    const hashOfNone = hashBytes(bytes, 0, 0);
    yield* inSlices(hashes.length, (from, to) => {
      for (let text = from; text < to; text++)
        hashes[text] = offsets[text] === offsets[text + 1] ? hashOfNone : known[text];
    });
    return hashes;
  }
  yield* inSlices(
    hashes.length,
    (from, to) => {
      for (let text = from; text < to; text++)
        hashes[text] = hashBytes(bytes, offsets[text], offsets[text + 1]);
    },
    SLICE_TEXTS,
  );
  return hashes;
}

function addTexts(
  { codes, valid }: WireText,
  ofTexts: Uint32Array,
  hashes: Uint32Array,
  from: number,
  to: number,
): void {
  for (let row = from; row < to; row++) {
    const isMissing = valid !== null && valid[row] === 0;
    hashes[row] = hashBlock(hashes[row], isMissing ? MISSING : ofTexts[codes === null ? row : codes[row]]);
  }
}

function addBits(
  bits: Uint8Array,
  valid: Uint8Array | null,
  hashes: Uint32Array,
  from: number,
  to: number,
): void {
  for (let row = from; row < to; row++) {
    hashes[row] = hashBlock(hashes[row], valid !== null && valid[row] === 0 ? MISSING : bits[row]);
  }
}

function addNumbers(
  numbers: Float64Array,
  valid: Uint8Array | null,
  block: number,
  hashes: Uint32Array,
  from: number,
  to: number,
): void {
  const double = new Float64Array(1);
  const halves = new Uint32Array(double.buffer);
  for (let row = from; row < to; row++) {
    if (valid !== null && valid[row] === 0) hashes[row] = hashBlock(hashes[row], MISSING);
    else {
      // Adding 0 turns -0 into 0.
      double[0] = (block === 1 ? numbers[row] : Math.floor(numbers[row] / block)) + 0;
      hashes[row] = hashBlock(hashBlock(hashes[row], halves[0]), halves[1]);
    }
  }
}

/** Safe integers have the hashes of numbers. */
function addWide(
  values: WideIntegers,
  valid: Uint8Array | null,
  block: number,
  hashes: Uint32Array,
  from: number,
  to: number,
): void {
  if (are64(values)) add64(values, valid, block, hashes, from, to);
  else addBigints(values, valid, block, hashes, from, to);
}

function add64(
  values: BigInt64Array<ArrayBufferLike>,
  valid: Uint8Array | null,
  block: number,
  hashes: Uint32Array,
  from: number,
  to: number,
): void {
  const words = halvesOf(values);
  const double = new Float64Array(1);
  const halves = new Uint32Array(double.buffer);
  for (let row = from; row < to; row++) {
    let hash = hashes[row];
    if (valid !== null && valid[row] === 0) {
      hashes[row] = hashBlock(hash, MISSING);
      continue;
    }
    const [low, high] = [words[row * 2], words[row * 2 + 1]];
    const number = safeNumberOf(low, high);
    if (Number.isNaN(number)) {
      hash = hashBlock(hashBlock(hash, low), high);
      const sign = high >> 31;
      hash = hashBlock(hashBlock(hash, sign), sign);
    } else {
      double[0] = Math.floor(number / block);
      hash = hashBlock(hashBlock(hash, halves[0]), halves[1]);
    }
    hashes[row] = hash;
  }
}

function addBigints(
  values: readonly bigint[],
  valid: Uint8Array | null,
  block: number,
  hashes: Uint32Array,
  from: number,
  to: number,
): void {
  const double = new Float64Array(1);
  const halves = new Uint32Array(double.buffer);
  for (let row = from; row < to; row++) {
    const value = values[row];
    let hash = hashes[row];
    if (valid !== null && valid[row] === 0) hash = hashBlock(hash, MISSING);
    else if (isSafe(value)) {
      double[0] = Math.floor(Number(value) / block);
      hash = hashBlock(hashBlock(hash, halves[0]), halves[1]);
    } else {
      for (let word = 0; word < WIDE_WORDS; word++) {
        hash = hashBlock(hash, Number(BigInt.asUintN(32, value >> BigInt(32 * word))));
      }
    }
    hashes[row] = hash;
  }
}
