/**
 * An append-only byte buffer that grows. Hot callers reserve space and then write to `bytes` at `at` directly. `take` copies
 * the contents out, so that the buffer is reused for the next part.
 */
import { grown } from '../base/index.js';
import { type Allocator, allocateFresh } from './allocator.js';

/** Small, because most answers are short and each writer's first buffer is garbage for V8. */
const FIRST_BYTES = 2 * 1024;
const SHORT_BYTES = 64;

export class ByteWriter {
  readonly #allocate: Allocator;
  bytes = new Uint8Array(FIRST_BYTES);
  at = 0;

  /** `allocate` provides the memory that `take` returns. */
  constructor(allocate: Allocator = allocateFresh) {
    this.#allocate = allocate;
  }

  /** Ensures that `count` more bytes fit. */
  reserve(count: number): void {
    if (this.at + count > this.bytes.length) this.bytes = grown(this.bytes, this.at + count);
  }

  byte(value: number): void {
    this.reserve(1);
    this.bytes[this.at++] = value;
  }

  /** Appends bytes; short arrays are copied byte by byte, which is faster. */
  put(bytes: Uint8Array): void {
    const count = bytes.length;
    this.reserve(count);
    const { at, bytes: into } = this;
    if (count > SHORT_BYTES) into.set(bytes, at);
    else for (let index = 0; index < count; index++) into[at + index] = bytes[index];
    this.at = at + count;
  }

  /** Appends a text of ASCII characters. */
  ascii(text: string): void {
    const count = text.length;
    this.reserve(count);
    const { at, bytes: into } = this;
    for (let index = 0; index < count; index++) into[at + index] = text.charCodeAt(index);
    this.at = at + count;
  }

  /** Returns a copy of the bytes written since the last call, without the first `skipped` bytes, and empties the buffer. */
  take(skipped = 0): Uint8Array {
    const copy = this.#allocate(this.at - skipped);
    copy.set(this.bytes.subarray(skipped, this.at));
    this.at = 0;
    return copy;
  }
}
