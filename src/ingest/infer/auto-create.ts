/**
 * The reserved key "auto-create": a list of "dimension" and "column". It applies to the whole request and is checked before any
 * entity, whatever its position. If it occurs twice, the lists are combined.
 */
import type { WireError } from '../../base/index.js';
import { eachItem, eachMember, stringAt } from '../json.js';
import { OPEN_LIST, QUOTE, type Source, skipSpace } from '../source.js';
import { DIMENSION } from '../tables.js';

export const AUTO_CREATE = 'auto-create';

/** The kinds of objects that a request may create. */
export interface AutoCreateOptions {
  readonly dimensions: boolean;
  readonly columns: boolean;
}

/** Returns the offsets of the values of all "auto-create" keys in a body that is one JSON object. */
export function findAutoCreate(source: Source): number[] {
  const offsets: number[] = [];
  eachMember(source, skipSpace(source.bytes, 0), 0, (keyAt, valueAt) => {
    const length = valueAt - keyAt;
    if (length > AUTO_CREATE.length && isAutoCreate(source, keyAt)) offsets.push(valueAt);
  });
  return offsets;
}

function isAutoCreate(source: Source, keyAt: number): boolean {
  const first = source.bytes[keyAt + 1];
  return (first === 0x61 || first === 0x5c) && stringAt(source, keyAt) === AUTO_CREATE;
}

/**
 * Returns the options given by the values at `offsets`, or the error that refuses the request; null if there are no values.
 */
export function readAutoCreate(
  source: Source,
  offsets: readonly number[],
  customKey: boolean,
): AutoCreateOptions | { readonly refused: WireError } | null {
  if (offsets.length === 0) return null;
  let dimensions = false;
  let columns = false;
  let wrong = '';
  for (const offset of offsets) {
    if (source.bytes[offset] !== OPEN_LIST) {
      wrong = 'it is not a list';
      continue;
    }
    eachItem(source, offset, 1, (at) => {
      const item = source.bytes[at] === QUOTE ? stringAt(source, at) : '';
      if (item === DIMENSION) dimensions = true;
      else if (item === 'column') columns = true;
      else wrong = 'it contains another value';
    });
  }
  if (customKey) {
    const [code, what] = dimensions ? ([511, 'dimensions'] as const) : ([505, 'columns'] as const);
    return { refused: { code, message: `this key may not create ${what}; "auto-create" is not allowed` } };
  }
  if (wrong !== '') {
    const message = `"auto-create" must be a list of "dimension" and "column": ${wrong}`;
    return { refused: { code: 2007, message } };
  }
  return { dimensions, columns };
}
