/**
 * Rows -> bodies of inserts. The same rows in the same mapping always give the same bodies.
 * Invariants: a body has at most ENTITIES_PER_INSERT_MAX entities; every row that was read is in exactly one body, as a row
 * or as a bad row; rows of one entity are merged: all events are kept, and the attributes of later rows override.
 */
import { ENTITIES_PER_INSERT_MAX } from '../../../base/index.js';
import { isEventType } from '../../../schema/index.js';
import type { RowBlock } from '../formats/row-block.js';
import type { Mapping } from '../mapping/mapping.js';
import { type BadRow, type BodyRow, RowConverter } from './row-converter.js';

/** A body is closed before it exceeds this size in characters; text other than ASCII takes more bytes. */
const BODY_CHARS_MAX = 4_000_000;
/** Limit of rows per body, including bad rows. */
const BODY_ROWS_MAX = 50_000;

export interface Body {
  readonly rows: readonly BodyRow[];
  readonly bad: readonly BadRow[];
  /** Keys of its entities; null if every row of the file is a separate entity. */
  readonly keys: ReadonlySet<string> | null;
  /** Number of the last row processed. */
  readonly lastRow: number;
}

/** Whether all rows of the body belong to different entities. */
export const isDistinct = ({ keys, rows }: Body): boolean => keys === null || keys.size === rows.length;

/** The insert body of `rows`; `distinct` means that no two rows belong to one entity. */
export function bodyText(
  { dimension, targets, areLines }: Mapping,
  rows: readonly BodyRow[],
  distinct: boolean,
): string {
  const columns = targets.map(({ column, form }) => ({
    head: `,"${column}":`,
    textOf: isEventType(form.type) ? eventsText : latestText,
  }));
  const start = `:{"dimension":"${dimension}"`;
  // An insert must name a column: an entity without values names one with no value.
  const [{ column, form }] = targets;
  const nothing = `,"${column}":${isEventType(form.type) ? '[]' : 'null'}`;
  let text = '';
  for (const same of distinct ? alone(rows) : byEntity(rows)) {
    text += (text === '' ? '{' : '},') + JSON.stringify(same[0].id) + start;
    let isEmpty = areLines;
    for (let target = 0; target < columns.length; target++) {
      const { head, textOf } = columns[target];
      const written = textOf(same, target);
      if (written === '') continue;
      text += head + written;
      isEmpty = false;
    }
    if (isEmpty) text += nothing;
  }
  return text === '' ? '{}' : `${text}}}`;
}

/** Yields each row in a reused list. */
function* alone(rows: readonly BodyRow[]): Generator<readonly BodyRow[]> {
  const one = rows.slice(0, 1);
  for (const row of rows) {
    one[0] = row;
    yield one;
  }
}

function byEntity(rows: readonly BodyRow[]): Iterable<readonly BodyRow[]> {
  const entities = new Map<string, BodyRow[]>();
  for (const row of rows) {
    const same = entities.get(row.key);
    if (same === undefined) entities.set(row.key, [row]);
    else same.push(row);
  }
  return entities.values();
}

/** The events of all rows; '' if there are none. */
function eventsText(rows: readonly BodyRow[], target: number): string {
  let text = '';
  for (const { pieces, rests } of rows) {
    const piece = pieces[target];
    if (piece !== null) text += (text === '' ? '[' : ',') + piece + (rests[target] ?? '');
  }
  return text === '' ? '' : `${text}]`;
}

/** The value of the last row that has one; '' if there is none. */
function latestText(rows: readonly BodyRow[], target: number): string {
  for (let index = rows.length - 1; index >= 0; index--) {
    const piece = rows[index].pieces[target];
    if (piece !== null) return piece;
  }
  return '';
}

export class BodyCutter {
  readonly #converter: RowConverter;
  #rows: BodyRow[] = [];
  #bad: BadRow[] = [];
  /** null = IDs are made of row numbers. */
  #keys: Set<string> | null;
  #chars = 0;
  #lastRow = 0;

  /** `name` is the prefix of IDs made of row numbers. */
  constructor(mapping: Mapping, columnNames: readonly string[], name: string) {
    this.#converter = new RowConverter(mapping, columnNames, name);
    this.#keys = mapping.id === null ? null : new Set();
  }

  /** Adds the rows of `block` and returns the bodies that are full. */
  *take(block: RowBlock): Generator<Body> {
    let broken = 0;
    const addBroken = (before: number): void => {
      for (; broken < block.broken.length && block.broken[broken].row < before; broken++) {
        const { row, line, reason, text } = block.broken[broken];
        this.#addBad({ row, line, reason, text });
      }
    };
    for (let index = 0; index < block.count; index++) {
      addBroken(block.rowNumbers[index]);
      const row = this.#converter.convert(block, index);
      const chars = 'reason' in row ? 0 : charsOf(row);
      const isFull = 'reason' in row ? false : !this.#fits(row, chars);
      if (isFull || this.#isLong()) yield this.#close();
      if ('reason' in row) this.#addBad(row);
      else this.#add(row, chars);
    }
    addBroken(Number.POSITIVE_INFINITY);
    if (this.#isLong()) yield this.#close();
  }

  /** The last body; null when no rows are left. */
  rest(): Body | null {
    return this.#rows.length + this.#bad.length === 0 ? null : this.#close();
  }

  #isLong = (): boolean =>
    this.#rows.length + this.#bad.length >= BODY_ROWS_MAX || this.#chars >= BODY_CHARS_MAX;

  #fits({ key }: BodyRow, chars: number): boolean {
    const entityCount = this.#keys?.size ?? this.#rows.length;
    if (entityCount === ENTITIES_PER_INSERT_MAX && this.#keys?.has(key) !== true) return false;
    return this.#rows.length === 0 || this.#chars + chars <= BODY_CHARS_MAX;
  }

  #add(row: BodyRow, chars: number): void {
    this.#rows.push(row);
    this.#keys?.add(row.key);
    this.#chars += chars;
    this.#lastRow = row.row;
  }

  #addBad(bad: BadRow): void {
    this.#bad.push(bad);
    this.#chars += bad.text.length;
    this.#lastRow = bad.row;
  }

  #close(): Body {
    const body = { rows: this.#rows, bad: this.#bad, keys: this.#keys, lastRow: this.#lastRow };
    this.#rows = [];
    this.#bad = [];
    if (this.#keys !== null) this.#keys = new Set();
    this.#chars = 0;
    return body;
  }
}

/** Characters of a value in addition to its text: the column's name, in a body of one row per entity. */
const PIECE_CHARS = 24;

function charsOf({ id, pieces, rests }: BodyRow): number {
  let chars = id.length + PIECE_CHARS;
  for (const piece of pieces) if (piece !== null) chars += piece.length + 1;
  for (const rest of rests) chars += rest.length;
  return chars;
}
