/**
 * Flights -> insert bodies of the dimension `airports`: flights are grouped by origin, and each is one event in
 * `destination`, `delay` and `distance`. The JSON is concatenated from pieces that are encoded once (start of a value, rest
 * of a date), because 3 million flights are 400 MB of JSON.
 * Invariant: a body stays below BODY_BYTES_MAX, because a flight takes at most FLIGHT_BYTES_MAX.
 */
import { BODY_BYTES_MAX, invariant } from '../../base/index.js';
import { formatDateTime } from '../../schema/index.js';
import type { FlightColumns } from './flights.js';
import type { InsertBody } from './model.js';

export const FLIGHTS_PER_BODY = 25_000;
const EVENT_COLUMNS = 3;
/** Three events of less than 50 bytes each, and the names and brackets of a group of one flight. */
const FLIGHT_BYTES_MAX = 200;

const encoder = new TextEncoder();

/** Appends bytes to a fixed buffer. */
class ByteWriter {
  #at = 0;
  readonly #bytes: Uint8Array;

  constructor(capacity: number) {
    this.#bytes = new Uint8Array(capacity);
  }

  piece(piece: Uint8Array): void {
    invariant(this.#at + piece.length <= this.#bytes.length, 'a body of flights is larger than its buffer');
    for (let index = 0; index < piece.length; index++) this.#bytes[this.#at + index] = piece[index];
    this.#at += piece.length;
  }

  text(text: string): void {
    this.piece(encoder.encode(text));
  }

  /** Removes the last byte. */
  back(): void {
    this.#at--;
  }

  /** Returns a copy of the written bytes and empties the buffer. */
  drain(): Uint8Array {
    const bytes = this.#bytes.slice(0, this.#at);
    this.#at = 0;
    return bytes;
  }
}

/** Encodes each key once. */
function cached<K>(make: (key: K) => string): (key: K) => Uint8Array {
  const pieces = new Map<K, Uint8Array>();
  return (key) => {
    let piece = pieces.get(key);
    if (piece === undefined) {
      piece = encoder.encode(make(key));
      pieces.set(key, piece);
    }
    return piece;
  };
}

/** Row numbers in [from, to) by origin, in order of first appearance. */
function rowsByOrigin(origins: ArrayLike<string>, from: number, to: number): Map<string, number[]> {
  const groups = new Map<string, number[]>();
  for (let row = from; row < to; row++) {
    const rows = groups.get(origins[row]);
    if (rows === undefined) groups.set(origins[row], [row]);
    else rows.push(row);
  }
  return groups;
}

/** The part after the value of each row's event; rows of the same minute share the bytes. */
function dateRests(seconds: ArrayLike<number>, from: number, to: number): Uint8Array[] {
  const rests: Uint8Array[] = [];
  for (let row = from; row < to; row++) {
    const same = row > from && seconds[row] === seconds[row - 1];
    rests.push(
      same ? rests[rests.length - 1] : encoder.encode(`,"date":"${formatDateTime(seconds[row])}"},`),
    );
  }
  return rests;
}

/** Bodies of at most FLIGHTS_PER_BODY flights each, in the given order; a body holds flights of one part only. */
export async function* flightBodies(parts: AsyncIterable<FlightColumns>): AsyncGenerator<InsertBody> {
  const writer = new ByteWriter(Math.min(FLIGHTS_PER_BODY * FLIGHT_BYTES_MAX, BODY_BYTES_MAX));
  const textValue = cached((value: string) => `{"value":${JSON.stringify(value)}`);
  const numberValue = cached((value: number | bigint) => `{"value":${value}`);

  for await (const flights of parts) {
    for (let from = 0; from < flights.count; from += FLIGHTS_PER_BODY) {
      const to = Math.min(from + FLIGHTS_PER_BODY, flights.count);
      const groups = rowsByOrigin(flights.origins, from, to);
      const rests = dateRests(flights.seconds, from, to);
      const events = (
        column: string,
        rows: readonly number[],
        valueOfRow: (row: number) => Uint8Array,
      ): void => {
        writer.text(`,"${column}":[`);
        for (const row of rows) {
          writer.piece(valueOfRow(row));
          writer.piece(rests[row - from]);
        }
        writer.back();
        writer.text(']');
      };
      writer.text('{');
      for (const [origin, rows] of groups) {
        writer.text(`${JSON.stringify(origin)}:{"dimension":"airports"`);
        events('destination', rows, (row) => textValue(flights.destinations[row]));
        events('delay', rows, (row) => numberValue(flights.delays[row]));
        events('distance', rows, (row) => numberValue(flights.distances[row]));
        writer.text('},');
      }
      writer.back();
      writer.text('}');
      const rowCount = to - from;
      yield {
        bytes: writer.drain(),
        entityCount: groups.size,
        valueCount: rowCount * EVENT_COLUMNS,
        rowCount,
      };
    }
  }
}
