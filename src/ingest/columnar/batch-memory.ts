/** Growable memory for one encoded batch. Words that were used before keep their contents until they are written again. */
export class BatchMemory {
  words = new Int32Array(0);
  bytes = new Uint8Array(0);
  /** Words in use. */
  end = 0;

  /** Reserves `count` words and returns the offset of the first. */
  reserve(count: number): number {
    const at = this.end;
    this.end += count;
    if (this.end > this.words.length) {
      const grown = new Int32Array(Math.max(this.end, this.words.length * 2));
      grown.set(this.words.subarray(0, at));
      this.words = grown;
      this.bytes = new Uint8Array(grown.buffer);
    }
    return at;
  }
}
