/**
 * Memory of one operator of a query, in which kernels build their tables: a WebAssembly memory that grows on demand.
 * Unlike an arena, it holds no stored data, and it belongs to one query at a time.
 * Invariants  allocations are 64-aligned and released all at once; the views are valid until the next allocation, which
 *             may grow the memory and detach the views. No result depends on the seed of the hash kernels.
 */
import { randomBytes } from 'node:crypto';
import type { MemoryAccount, RandomBytes } from '../base/index.js';
import { ARENA_RESERVED_BYTES, type Kernels, kernelsFor } from '../kernels/index.js';

const PAGE_BYTES = 65_536;
const PAGES_MAX = 65_536;
/** The seed of the hash kernels: two odd u64. */
const SEED_AT = ARENA_RESERVED_BYTES;
const HASH_SEED_BYTES = 16;
/** Allocations begin here. */
const FIRST_AT = SEED_AT + 64;
/**
 * A memory is retained for the next query if it takes at most this many bytes, or at most a quarter of what the query may
 * use. Reuse matters because writing to new pages costs several times as much as writing to used pages. A larger one would
 * reduce what writes and other queries may use.
 */
const RETAINED_BYTES_MIN = 16 * 2 ** 20;
const RETAINED_PART = 4;

export class QueryMemory {
  readonly #module: WebAssembly.Module | null;
  readonly #memory: WebAssembly.Memory;
  #kernels: Kernels;
  #u8: Uint8Array;
  #u32: Uint32Array;
  #i32: Int32Array;
  #i64: BigInt64Array;
  #end = FIRST_AT;
  /** Bytes from here on have never been written. */
  #freshFrom = FIRST_AT;

  /** `module` null = the kernels' TypeScript twins. `seed`: HASH_SEED_BYTES bytes that no client can predict. */
  constructor(module: WebAssembly.Module | null, seed: Uint8Array = randomBytes(HASH_SEED_BYTES)) {
    this.#module = module;
    this.#memory = new WebAssembly.Memory({ initial: 16, maximum: PAGES_MAX });
    const { buffer } = this.#memory;
    this.#kernels = kernelsFor(this.#memory, module);
    this.#u8 = new Uint8Array(buffer);
    this.#u32 = new Uint32Array(buffer);
    this.#i32 = new Int32Array(buffer);
    this.#i64 = new BigInt64Array(buffer);
    this.#u8.set(seed, SEED_AT);
    for (let word = 0; word < HASH_SEED_BYTES; word += 8) this.#u8[SEED_AT + word] |= 1;
  }

  /** Byte offset of the seed of the hash kernels. */
  get hashSeed(): number {
    return SEED_AT;
  }

  get kernels(): Kernels {
    return this.#kernels;
  }
  get u8(): Uint8Array {
    return this.#u8;
  }
  get u32(): Uint32Array {
    return this.#u32;
  }
  get i32(): Int32Array {
    return this.#i32;
  }
  get i64(): BigInt64Array {
    return this.#i64;
  }

  /** Bytes of the memory, used or not. */
  get byteLength(): number {
    return this.#u8.length;
  }

  /** The bytes that have been written since the memory was created. */
  get touchedBytes(): number {
    return this.#freshFrom;
  }

  /**
   * Returns the byte offset of `bytes` zeroed bytes, which are reserved in `run`; null = the query or the memory has no
   * capacity for them.
   */
  allocate(bytes: number, run: MemoryAccount): number | null {
    const usedUntil = this.#freshFrom;
    const at = this.allocateUnset(bytes, run);
    if (at !== null && at < usedUntil) this.#u8.fill(0, at, Math.min(this.#end, usedUntil));
    return at;
  }

  /** Like `allocate`, with arbitrary contents. */
  allocateUnset(bytes: number, run: MemoryAccount): number | null {
    const at = this.#end;
    const end = at + Math.ceil(bytes / 64) * 64;
    if (end > PAGES_MAX * PAGE_BYTES || !run.tryReserve(end - at)) return null;
    if (end > this.byteLength && !this.#grow(end)) {
      run.release(end - at);
      return null;
    }
    this.#end = end;
    this.#freshFrom = Math.max(this.#freshFrom, end);
    return at;
  }

  #grow(bytes: number): boolean {
    const pages = Math.ceil(bytes / PAGE_BYTES);
    const now = this.byteLength / PAGE_BYTES;
    const wanted = Math.min(Math.max(pages, now * 2), PAGES_MAX);
    try {
      this.#memory.grow(wanted - now);
    } catch {
      return false;
    }
    const { buffer } = this.#memory;
    if (this.#module === null) this.#kernels = kernelsFor(this.#memory, null);
    this.#u8 = new Uint8Array(buffer);
    this.#u32 = new Uint32Array(buffer);
    this.#i32 = new Int32Array(buffer);
    this.#i64 = new BigInt64Array(buffer);
    return true;
  }

  /** Releases all allocations. The caller releases the corresponding reservations. */
  clear(): void {
    this.#end = FIRST_AT;
  }
}

/** Provides the memories of a worker's queries; one of them is retained for the next query. */
export class QueryMemories {
  readonly #module: WebAssembly.Module | null;
  readonly #seed: Uint8Array;
  #retained: QueryMemory | null = null;

  /** `random`: the seed of the hash kernels, the same for all memories; it decides the order of groups of a shard. */
  constructor(module: WebAssembly.Module | null, random: RandomBytes = randomBytes) {
    this.#module = module;
    this.#seed = random(HASH_SEED_BYTES);
  }

  /** An empty memory, for exclusive use until `release`. */
  acquire(): QueryMemory {
    const memory = this.#retained ?? new QueryMemory(this.#module, this.#seed);
    this.#retained = null;
    return memory;
  }

  /** `run` = the query that used the memory. */
  release(memory: QueryMemory, run: MemoryAccount): void {
    memory.clear();
    if (memory.touchedBytes <= Math.max(RETAINED_BYTES_MIN, run.limitBytes / RETAINED_PART))
      this.#retained = memory;
  }
}
