/**
 * Bytes that are written one behind the other into memory that grows. Who writes reserves first and then writes to `bytes`
 * at `at` himself. What was taken is a copy, so the memory is used again for the next part.
 */
import { grown } from '../base/index.js';
import { freshRoom, type Room } from './room.js';

/** Most answers are short, and what is made for each is V8's to collect. */
const FIRST_BYTES = 2 * 1024;
const SHORT_BYTES = 64;

export class ByteWriter {
  readonly #room: Room;
  bytes = new Uint8Array(FIRST_BYTES);
  at = 0;

  /** `room`: for what is taken. */
  constructor(room: Room = freshRoom) {
    this.#room = room;
  }

  /** Makes room for `count` bytes more. */
  reserve(count: number): void {
    if (this.at + count > this.bytes.length) this.bytes = grown(this.bytes, this.at + count);
  }

  byte(value: number): void {
    this.reserve(1);
    this.bytes[this.at++] = value;
  }

  /** Short ones are copied byte by byte, which is faster. */
  put(bytes: Uint8Array): void {
    const count = bytes.length;
    this.reserve(count);
    const { at, bytes: into } = this;
    if (count > SHORT_BYTES) into.set(bytes, at);
    else for (let index = 0; index < count; index++) into[at + index] = bytes[index];
    this.at = at + count;
  }

  /** A text of ASCII characters. */
  ascii(text: string): void {
    const count = text.length;
    this.reserve(count);
    const { at, bytes: into } = this;
    for (let index = 0; index < count; index++) into[at + index] = text.charCodeAt(index);
    this.at = at + count;
  }

  /** What was written since the last time, without its first `skipped` bytes. */
  take(skipped = 0): Uint8Array {
    const taken = this.#room(this.at - skipped);
    taken.set(this.bytes.subarray(skipped, this.at));
    this.at = 0;
    return taken;
  }
}
