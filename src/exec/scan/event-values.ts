/** Reads values and dates of events of one column, across its segments. */
import { invariant, SEGMENT_ROWS_MASK, SEGMENT_ROWS_SHIFT } from '../../base/index.js';
import { textOfPoint } from '../../schema/index.js';
import { type EventSegment, type EventTable, readCodes } from '../../storage/index.js';
import { type ExactVector, Texts, type TextVector, type Vector } from '../../vector/index.js';
import { type RowSet, rowList } from './row-set.js';
import { type BatchArrays, integerAt, NO_TEXTS, numberAt, readValues, UNSAFE } from './stored-values.js';

type NarrowIntegers = Int8Array | Int16Array | Int32Array;
type Codes = Uint8Array | Uint16Array | Uint32Array;

export class EventValues {
  readonly #segments: readonly EventSegment[];
  readonly #kind: EventTable['kind'];
  readonly #texts: Texts;
  readonly #dates: Uint32Array[];
  /** Values by segment; null if a segment stores 8-byte integers, and for other kinds. */
  readonly #narrow: NarrowIntegers[] | null;
  readonly #codes: Codes[] | null;

  /** `table` undefined = the column has no events. */
  constructor(table: EventTable | undefined, texts: Texts | null) {
    this.#segments = table?.segments ?? [];
    this.#kind = table?.kind ?? 'i64';
    this.#texts = texts ?? NO_TEXTS();
    this.#dates = this.#segments.map((segment) => segment.datesAndRows(segment.eventCount).dates);
    const isNarrow = this.#kind === 'i64' && this.#segments.every(({ width }) => width < 8);
    this.#narrow = isNarrow ? this.#segments.map(narrowOf) : null;
    this.#codes = this.#kind === 'code' ? this.#segments.map(codesOf) : null;
  }

  /** The values of events, each given as segment << 16 | row. */
  values(events: Uint32Array, arrays: BatchArrays): Vector {
    if (this.#segments.length === 1) return this.valuesAt(0, rowList(events), arrays);
    switch (this.#kind) {
      case 'code':
        return this.#texted(events, arrays.codes(events.length));
      case 'geo':
        return this.#points(events);
      default:
        return this.#narrow === null
          ? wideNumbers(this.#segments, events, arrays.numbers(events.length))
          : narrowNumbers(this.#narrow, events, arrays.numbers(events.length));
    }
  }

  dates(events: Uint32Array, arrays: BatchArrays): ExactVector {
    const count = events.length;
    const out = arrays.numbers(count);
    const dates = this.#dates;
    for (let at = 0; at < count; at++) {
      out[at] = dates[events[at] >>> SEGMENT_ROWS_SHIFT][events[at] & SEGMENT_ROWS_MASK];
    }
    return { kind: 'exact', count, valid: null, numbers: out, wide: null };
  }

  /** The links of events; missing for events without related ones. */
  links(events: Uint32Array, arrays: BatchArrays): ExactVector {
    const count = events.length;
    const out = arrays.numbers(count);
    const valid = new Uint8Array(count);
    const links = this.#segments.map((segment) => segment.links());
    for (let at = 0; at < count; at++) {
      const link = links[events[at] >>> SEGMENT_ROWS_SHIFT]?.[events[at] & SEGMENT_ROWS_MASK] ?? 0;
      out[at] = link;
      valid[at] = link === 0 ? 0 : 1;
    }
    return { kind: 'exact', count, valid, numbers: out, wide: null };
  }

  /** The values of events of one segment. */
  valuesAt(segment: number, rowSet: RowSet, arrays: BatchArrays): Vector {
    return readValues(this.#segments[segment], rowSet, null, this.#texts, arrays);
  }

  datesAt(segment: number, { list, from, count }: RowSet, arrays: BatchArrays): ExactVector {
    const dates = this.#dates[segment];
    const out = arrays.numbers(count);
    if (list === null) for (let at = 0; at < count; at++) out[at] = dates[from + at];
    else for (let at = 0; at < count; at++) out[at] = dates[list[at]];
    return { kind: 'exact', count, valid: null, numbers: out, wide: null };
  }

  #texted(events: Uint32Array, out: Uint32Array): TextVector {
    const codes = this.#codes;
    invariant(codes !== null, 'events of strings have codes');
    const count = events.length;
    for (let at = 0; at < count; at++) {
      out[at] = codes[events[at] >>> SEGMENT_ROWS_SHIFT][events[at] & SEGMENT_ROWS_MASK];
    }
    return { kind: 'text', count, valid: null, codes: out, texts: this.#texts };
  }

  #points(events: Uint32Array): TextVector {
    const texts = Array.from(events, (event) => {
      const { arena, valuesAt } = this.#segments[event >>> SEGMENT_ROWS_SHIFT];
      const at = (valuesAt >> 3) + (event & SEGMENT_ROWS_MASK) * 2;
      return textOfPoint({ longitude: arena.f64[at], latitude: arena.f64[at + 1] });
    });
    return { kind: 'text', count: events.length, valid: null, codes: null, texts: Texts.ofStrings(texts) };
  }
}

function narrowOf({ arena, width, valuesAt, eventCount }: EventSegment): NarrowIntegers {
  if (width === 1) return arena.i8.subarray(valuesAt, valuesAt + eventCount);
  return width === 2
    ? arena.i16.subarray(valuesAt >> 1, (valuesAt >> 1) + eventCount)
    : arena.i32.subarray(valuesAt >> 2, (valuesAt >> 2) + eventCount);
}

const codesOf = ({ arena, width, valuesAt, eventCount }: EventSegment): Codes =>
  readCodes(arena, valuesAt, width, eventCount);

function narrowNumbers(
  narrow: readonly NarrowIntegers[],
  events: Uint32Array,
  out: Float64Array,
): ExactVector {
  const count = events.length;
  for (let at = 0; at < count; at++) {
    out[at] = narrow[events[at] >>> SEGMENT_ROWS_SHIFT][events[at] & SEGMENT_ROWS_MASK];
  }
  return { kind: 'exact', count, valid: null, numbers: out, wide: null };
}

/** Reads integers when some segments store 8-byte integers. */
function wideNumbers(segments: readonly EventSegment[], events: Uint32Array, out: Float64Array): ExactVector {
  const count = events.length;
  let isSafe = true;
  for (let at = 0; at < count; at++) {
    const value = numberAt(segments[events[at] >>> SEGMENT_ROWS_SHIFT], events[at] & SEGMENT_ROWS_MASK);
    out[at] = value;
    if (value >= UNSAFE || value <= -UNSAFE) isSafe = false;
  }
  if (isSafe) return { kind: 'exact', count, valid: null, numbers: out, wide: null };
  const wide = Array.from(events, (event, at) =>
    out[at] < UNSAFE && out[at] > -UNSAFE
      ? BigInt(out[at])
      : integerAt(segments[event >>> SEGMENT_ROWS_SHIFT], event & SEGMENT_ROWS_MASK),
  );
  return { kind: 'exact', count, valid: null, numbers: null, wide };
}
