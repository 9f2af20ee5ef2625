/**
 * Evaluates functions of dictionary-coded text once per distinct text: when a node has seen as many rows of a Texts as it has
 * texts, or a part of them if the scan will read as many, it is evaluated over all of them, and each further row costs one
 * look-up by code. Results that are texts form one distinct Texts, so that parent nodes benefit as well.
 */
import { type MemoryAccount, QuarryError } from '../base/index.js';
import type { SqlType, TextVector, Vector } from '../vector/index.js';
import { concat, gather, memoryBytesOf, type Texts } from '../vector/index.js';
import { distinctTexts } from './distinct-texts.js';
import { textOf } from './kinds.js';
import { type Evaluate, mayStore, type Node } from './node.js';
import { bothValid } from './validity.js';

/** Larger dictionaries are not remembered: most of their texts occur only a few times. */
const REMEMBERED_TEXTS_MAX = 2 ** 20;
/** A scan is trusted to read at most so many rows per row that was seen: its rows may be in few of the segments. */
const EXPECTED_PER_ROW = 4;
/** Number of texts that are evaluated at a time. */
const CHUNK_TEXTS = 8_192;

/** Bytes of the map entry and of the head of a string that `distinctTexts` needs at most per text, beside its characters. */
const DISTINCT_TEXT_BYTES = 96;

/** A function in which row r of the result depends only on row r of each argument. */
export type Apply = (args: readonly Vector[], count: number) => Vector;

/** A Texts and the result for each of its codes, followed by the result for a missing text unless the function is strict. */
interface Remembered {
  rowCount: number;
  over: Vector | null;
  /** A text raised an error, or the results take too much memory: evaluate row by row. */
  hopeless: boolean;
}

/** Evaluates `apply` on the arguments. `strict`: the result is missing if any argument is missing. */
export function evaluateByText(
  args: readonly Node[],
  type: SqlType,
  strict: boolean,
  memory: MemoryAccount | null,
  apply: Apply,
): Evaluate {
  const varying = args.filter(({ constant }) => !constant);
  if (varying.length !== 1 || !isText(varying[0].type)) {
    return (rows) =>
      apply(
        args.map(({ evaluate }) => evaluate(rows)),
        rows.count,
      );
  }
  const position = args.indexOf(varying[0]);
  const remembered = rememberedByText(type, strict, memory, (text) =>
    apply(
      args.map((arg, index) => (index === position ? text : arg.evaluate(constantRows(text.count)))),
      text.count,
    ),
  );
  return (rows) => remembered(textOf(varying[0].evaluate(rows)), rows.scannedRows);
}

/** Like `evaluateByText`, for a single text argument. `scannedRows`: see RowSource. */
export function rememberedByText(
  type: SqlType,
  strict: boolean,
  memory: MemoryAccount | null,
  apply: (text: TextVector) => Vector,
): (text: TextVector, scannedRows?: number) => Vector {
  const known = new WeakMap<Texts, Remembered>();
  return (text, scannedRows = 0) => {
    if (text.codes === null) return apply(text);
    const remembered = known.get(text.texts) ?? { rowCount: 0, over: null, hopeless: false };
    known.set(text.texts, remembered);
    remembered.rowCount += text.count;
    const { rowCount } = remembered;
    const expected = Math.max(rowCount, Math.min(scannedRows, rowCount * EXPECTED_PER_ROW));
    if (remembered.over === null && expected >= text.texts.size) {
      evaluateTexts(remembered, text.texts, type, strict, memory, apply);
    }
    return remembered.over === null ? apply(text) : pickByCode(remembered.over, text, strict);
  };
}

const isText = ({ type }: SqlType): boolean => type === 'text' || type === 'json';

const constantRows = (count: number) => ({
  count,
  input: (): Vector => {
    throw new Error('a constant reads no input');
  },
});

function evaluateTexts(
  remembered: Remembered,
  texts: Texts,
  type: SqlType,
  strict: boolean,
  memory: MemoryAccount | null,
  apply: (text: TextVector) => Vector,
): void {
  if (remembered.hopeless || texts.size > REMEMBERED_TEXTS_MAX) return;
  const whileJoining = memory?.child();
  try {
    const parts: Vector[] = [];
    for (let from = 0; from < texts.size; from += CHUNK_TEXTS) {
      const part = apply(codesOf(texts, from, Math.min(from + CHUNK_TEXTS, texts.size)));
      whileJoining?.reserve(2 * memoryBytesOf(part) + (isText(type) ? part.count * DISTINCT_TEXT_BYTES : 0));
      parts.push(part);
    }
    if (!strict) parts.push(apply(missingText(texts)));
    const over = isText(type) ? distinctTexts(parts.map(textOf)) : concat(parts, type);
    whileJoining?.releaseAll();
    if (mayStore(over, memory)) remembered.over = over;
    else remembered.hopeless = true;
  } catch (error) {
    // The text that raised the error may not occur in any row.
    if (!(error instanceof QuarryError)) throw error;
    whileJoining?.releaseAll();
    remembered.hopeless = true;
  }
}

function codesOf(texts: Texts, from: number, to: number): TextVector {
  const count = to - from;
  const codes = from === 0 ? null : new Uint32Array(count);
  for (let index = 0; codes !== null && index < count; index++) codes[index] = from + index;
  return { kind: 'text', count, valid: null, codes, texts };
}

const missingText = (texts: Texts): TextVector => ({
  kind: 'text',
  count: 1,
  valid: new Uint8Array(1),
  codes: new Uint32Array(1),
  texts,
});

function pickByCode(over: Vector, { codes, valid, count, texts }: TextVector, strict: boolean): Vector {
  const positions = codes as Uint32Array;
  if (strict) {
    const picked = gather(over, positions, count);
    return { ...picked, valid: bothValid(picked.valid, valid, count) };
  }
  if (valid === null) return gather(over, positions, count);
  const all = new Uint32Array(count);
  for (let row = 0; row < count; row++) all[row] = valid[row] === 1 ? positions[row] : texts.size;
  return gather(over, all, count);
}
