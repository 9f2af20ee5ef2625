/**
 * Removes strings that no value uses any more from dictionaries: a smaller dictionary replaces one that is at least half unused,
 * and the column's codes are rewritten in place, all in one step. The strings of values do not change: a snapshot file of a
 * segment stays valid, and a copy of it may be made before or after.
 * A check reads every value of the column. It happens after bulk removals (compaction, expiry) and when the dictionary, or the
 * number of changes, has doubled; never while the dictionary takes less than a byte per value. So checks cost a small part of the
 * changes that cause them. Only codes depend on when they happen.
 */
import type { Dictionary } from './dictionary.js';
import type { EntitySegment } from './entity-segment.js';
import type { EventTable } from './event-table.js';

/** The number of codes, or changes of a column, from which it is checked during changes. */
const CODES_MIN = 16_384;
/** ... or the number of string bytes per such code. */
const BYTES_PER_CODE = 64;

/** The parts of a dimension's shard that contain strings and their codes. */
export interface StringHolder {
  readonly segments: readonly EntitySegment[];
  readonly dictionaries: Map<number, Dictionary>;
  readonly events: ReadonlyMap<number, EventTable>;
}

/** The state of a column at its last check, and the changes since then. */
interface Looked {
  codes: number;
  bytes: number;
  codeSlotCount: number;
  changes: number;
}

export class UnusedStrings {
  readonly #holder: StringHolder;
  readonly #codesMin: number;
  readonly #looked = new Map<number, Looked>();

  constructor(holder: StringHolder, codesMin = CODES_MIN) {
    this.#holder = holder;
    this.#codesMin = codesMin;
  }

  /** `count` values of the column, of any kind, were set, replaced or removed. The caller holds no codes of it. */
  changed(columnId: number, count: number): void {
    const dictionary = this.#holder.dictionaries.get(columnId);
    if (dictionary === undefined) return;
    let looked = this.#looked.get(columnId);
    if (looked === undefined) {
      looked = { codes: 0, bytes: 0, codeSlotCount: 0, changes: 0 };
      this.#looked.set(columnId, looked);
    }
    looked.changes += count;
    const isDue =
      dictionary.codeCount > Math.max(this.#codesMin, looked.codes * 2) ||
      dictionary.byteCount > Math.max(this.#codesMin * BYTES_PER_CODE, looked.bytes * 2) ||
      looked.changes > Math.max(this.#codesMin, looked.codes, looked.codeSlotCount);
    if (isDue) this.look(columnId);
  }

  /** Removes the column's unused strings if they are at least half of all. The caller holds no codes of it. */
  look(columnId: number): void {
    const { dictionaries, segments, events } = this.#holder;
    const dictionary = dictionaries.get(columnId);
    if (dictionary === undefined) return;
    const eventSegments = events.get(columnId)?.segments ?? [];
    let codeSlotCount = 0;
    for (const segment of segments) codeSlotCount += segment.codeSlotCount(columnId);
    for (const segment of eventSegments) codeSlotCount += segment.eventCount;
    if (dictionary.memoryBytes >= codeSlotCount) {
      const used = new Uint8Array(dictionary.codeCount);
      for (const segment of segments) segment.markCodes(columnId, used);
      for (const segment of eventSegments) segment.markCodes(used);
      if (isHalfUnused(dictionary, used)) {
        const rebuilt = dictionary.keeping(used);
        for (const segment of segments) segment.recode(columnId, rebuilt.codes);
        for (const segment of eventSegments) segment.recode(rebuilt.codes);
        dictionaries.set(columnId, rebuilt.dictionary);
      }
    }
    this.#note(columnId, codeSlotCount);
  }

  /** Marks all present strings as used. */
  restored(): void {
    for (const columnId of this.#holder.dictionaries.keys()) this.#note(columnId, 0);
  }

  forget(columnId: number): void {
    this.#looked.delete(columnId);
  }

  #note(columnId: number, codeSlotCount: number): void {
    const { codeCount: codes, byteCount: bytes } = this.#holder.dictionaries.get(columnId) as Dictionary;
    this.#looked.set(columnId, { codes, bytes, codeSlotCount, changes: 0 });
  }
}

/** Returns whether the strings whose codes are marked are at most half of all, by number or by bytes. */
function isHalfUnused({ codeCount, offsets, byteCount }: Dictionary, used: Uint8Array): boolean {
  let codes = 0;
  let bytes = 0;
  for (let code = 1; code < codeCount; code++) {
    if (used[code] === 0) continue;
    codes++;
    bytes += offsets[code + 1] - offsets[code];
  }
  return codeCount > 1 && (codes * 2 <= codeCount - 1 || bytes * 2 <= byteCount);
}
