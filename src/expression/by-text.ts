/**
 * What is worked out of a dictionary's texts is worked out once a text: as soon as a node has seen as many rows of a Texts as
 * it has texts, the node is evaluated over all of these, and from then on a row costs the look-up of its code. Results that
 * are texts lie in one distinct Texts, so that the nodes above profit as well.
 */
import { type MemoryAccount, QuarryError } from '../base/index.js';
import type { SqlType, TextVector, Vector } from '../vector/index.js';
import { concat, gather, type Texts } from '../vector/index.js';
import { distinctTexts } from './distinct-texts.js';
import { textOf } from './kinds.js';
import { type Evaluate, mayKeep, type Node } from './node.js';
import { bothValid } from './validity.js';

/** Of longer lists of texts most occur a few times only. */
const REMEMBERED_TEXTS_MAX = 2 ** 20;
/** Texts that are worked out at a time. */
const CHUNK_TEXTS = 8_192;

/** Row r of the result is worked out of row r of each argument alone. */
export type Apply = (args: readonly Vector[], count: number) => Vector;

/** One Texts and a value for each of its codes; behind them, unless missing arguments make missing values, that of a missing text. */
interface Remembered {
  rowCount: number;
  over: Vector | null;
  /** Some text cannot be worked out, or all of them take too much memory. */
  hopeless: boolean;
}

/** Evaluates `apply` of the arguments. `strict`: a row with a missing argument is missing. */
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
  const place = args.indexOf(varying[0]);
  const remembered = rememberedByText(type, strict, memory, (text) =>
    apply(
      args.map((arg, index) => (index === place ? text : arg.evaluate(constantRows(text.count)))),
      text.count,
    ),
  );
  return (rows) => remembered(textOf(varying[0].evaluate(rows)));
}

/** The same of one text alone. */
export function rememberedByText(
  type: SqlType,
  strict: boolean,
  memory: MemoryAccount | null,
  apply: (text: TextVector) => Vector,
): (text: TextVector) => Vector {
  const known = new WeakMap<Texts, Remembered>();
  return (text) => {
    if (text.codes === null) return apply(text);
    const remembered = known.get(text.texts) ?? { rowCount: 0, over: null, hopeless: false };
    known.set(text.texts, remembered);
    remembered.rowCount += text.count;
    if (remembered.over === null) workOut(remembered, text.texts, type, strict, memory, apply);
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

function workOut(
  remembered: Remembered,
  texts: Texts,
  type: SqlType,
  strict: boolean,
  memory: MemoryAccount | null,
  apply: (text: TextVector) => Vector,
): void {
  const worthwhile = remembered.rowCount >= texts.size && texts.size <= REMEMBERED_TEXTS_MAX;
  if (remembered.hopeless || !worthwhile) return;
  try {
    const parts: Vector[] = [];
    for (let from = 0; from < texts.size; from += CHUNK_TEXTS) {
      parts.push(apply(codesOf(texts, from, Math.min(from + CHUNK_TEXTS, texts.size))));
    }
    if (!strict) parts.push(apply(missingText(texts)));
    const over = isText(type) ? distinctTexts(parts.map(textOf)) : concat(parts, type);
    if (mayKeep(over, memory)) remembered.over = over;
    else remembered.hopeless = true;
  } catch (error) {
    // Perhaps no row has the text that cannot be worked out.
    if (!(error instanceof QuarryError)) throw error;
    remembered.hopeless = true;
  }
}

const codesOf = (texts: Texts, from: number, to: number): TextVector => ({
  kind: 'text',
  count: to - from,
  valid: null,
  codes: from === 0 ? null : Uint32Array.from({ length: to - from }, (_, index) => from + index),
  texts,
});

const missingText = (texts: Texts): TextVector => ({
  kind: 'text',
  count: 1,
  valid: new Uint8Array(1),
  codes: new Uint32Array(1),
  texts,
});

function pickByCode(over: Vector, { codes, valid, count, texts }: TextVector, strict: boolean): Vector {
  const places = codes as Uint32Array;
  if (strict) {
    const picked = gather(over, places, count);
    return { ...picked, valid: bothValid(picked.valid, valid, count) };
  }
  if (valid === null) return gather(over, places, count);
  const all = new Uint32Array(count);
  for (let row = 0; row < count; row++) all[row] = valid[row] === 1 ? places[row] : texts.size;
  return gather(over, all, count);
}
