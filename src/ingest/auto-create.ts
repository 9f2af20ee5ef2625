/**
 * The reserved key "auto-create": a list of "dimension" and "column". It is a setting of the whole request and is
 * checked before any entity, wherever it stands; where it stands twice, both count.
 */
import type { WireError } from '../base/index.js';
import { eachItem, eachMember, stringAt } from './json.js';
import { OPEN_LIST, QUOTE, type Source, skipSpace } from './source.js';
import { DIMENSION } from './tables.js';

export const AUTO_CREATE = 'auto-create';

/** What a request may make. */
export interface Creates {
  readonly dimensions: boolean;
  readonly columns: boolean;
}

/** The places of the values of all "auto-create" keys in a body that is one JSON object. */
export function findAutoCreate(source: Source): number[] {
  const places: number[] = [];
  eachMember(source, skipSpace(source.bytes, 0), 0, (keyAt, valueAt) => {
    const length = valueAt - keyAt;
    if (length > AUTO_CREATE.length && isAutoCreate(source, keyAt)) places.push(valueAt);
  });
  return places;
}

function isAutoCreate(source: Source, keyAt: number): boolean {
  const first = source.bytes[keyAt + 1];
  return (first === 0x61 || first === 0x5c) && stringAt(source, keyAt) === AUTO_CREATE;
}

/** What the values at `places` allow, or why the request is refused; null when there are none. */
export function readAutoCreate(
  source: Source,
  places: readonly number[],
  customKey: boolean,
): Creates | { readonly refused: WireError } | null {
  if (places.length === 0) return null;
  let dimensions = false;
  let columns = false;
  let wrong = '';
  for (const place of places) {
    if (source.bytes[place] !== OPEN_LIST) {
      wrong = 'it is no list';
      continue;
    }
    eachItem(source, place, 1, (at) => {
      const item = source.bytes[at] === QUOTE ? stringAt(source, at) : '';
      if (item === DIMENSION) dimensions = true;
      else if (item === 'column') columns = true;
      else wrong = 'it holds something else';
    });
  }
  if (customKey) {
    const [code, what] = dimensions ? ([511, 'dimensions'] as const) : ([505, 'columns'] as const);
    return { refused: { code, message: `this key may not create ${what}: "auto-create" is not for it` } };
  }
  if (wrong !== '') {
    const message = `"auto-create" must be a list of "dimension" and "column": ${wrong}`;
    return { refused: { code: 2007, message } };
  }
  return { dimensions, columns };
}
