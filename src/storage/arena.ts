/**
 * Arenas: WebAssembly memories of fixed size in which segments live, so that kernels run on them where they lie.
 * Invariants: an arena never grows (its views never detach); a block is at least as long as asked, 64-aligned and
 * zeroed; freed blocks serve later requests of their size class; memory returns to the system only with the arena.
 * Pages that were never touched cost address space, not memory, which is why a large arena is cheap.
 */
import { ARENA_USES, type ArenaUse, bytesOf, invariant } from '../base/index.js';
import { ARENA_RESERVED_BYTES, type Kernels, kernelsFor } from '../kernels/index.js';

export const ARENA_BYTES = 256 * 2 ** 20;
const PAGE_BYTES = 65_536;
const BLOCK_BYTES_MIN = 64;

/** Room for one bitmap over SEGMENT_ROWS_MAX rows: where a kernel leaves its result. */
export const BITMAP_BYTES = 8_192;
/** Room for SEGMENT_ROWS_MAX selected u32 rows. */
const SELECTION_BYTES = 262_144;
const SCRATCH_BITMAP_COUNT = 32;
/** The last part of an arena, for what a query keeps there while it runs (tables of codes: a bit per distinct string). */
const TEMPORARY_PART = 1 / 32;
const SCRATCH_BYTES = BITMAP_BYTES * SCRATCH_BITMAP_COUNT + SELECTION_BYTES;

/** The size class of a request: the power of two that holds it. */
function classBytes(bytes: number): number {
  return bytes <= BLOCK_BYTES_MIN ? BLOCK_BYTES_MIN : 2 ** (32 - Math.clz32(bytes - 1));
}

const NOTHING_USED: Readonly<Record<ArenaUse, number>> = {
  'entity-ids': 0,
  values: 0,
  bitmaps: 0,
  events: 0,
};

/** A piece of an arena, as long as its size class. */
export interface Block {
  readonly use: ArenaUse;
  readonly arena: Arena;
  /** Byte offset in the arena. */
  readonly at: number;
  readonly bytes: number;
}

export class Arena {
  readonly kernels: Kernels;
  readonly u8: Uint8Array;
  readonly u16: Uint16Array;
  readonly i8: Int8Array;
  readonly i16: Int16Array;
  readonly u32: Uint32Array;
  readonly i32: Int32Array;
  readonly f64: Float64Array;
  readonly #free = new Map<number, number[]>();
  #next = ARENA_RESERVED_BYTES + SCRATCH_BYTES;
  readonly #used: Record<ArenaUse, number> = { ...NOTHING_USED };
  /** Where the temporary room begins and the arena ends. */
  readonly #temporaryAt: number;
  readonly #end: number;
  #temporaryEnd: number;
  #temporaryCount = 0;

  /** `bytes`: whole pages of 64 KiB, more than what scratch takes; tests have smaller ones. */
  constructor(module: WebAssembly.Module | null, bytes: number = ARENA_BYTES) {
    this.#end = bytes;
    this.#temporaryAt = bytes * (1 - TEMPORARY_PART);
    this.#temporaryEnd = this.#temporaryAt;
    const pages = bytes / PAGE_BYTES;
    const memory = new WebAssembly.Memory({ initial: pages, maximum: pages });
    this.kernels = kernelsFor(memory, module);
    this.u8 = new Uint8Array(memory.buffer);
    this.u16 = new Uint16Array(memory.buffer);
    this.i8 = new Int8Array(memory.buffer);
    this.i16 = new Int16Array(memory.buffer);
    this.u32 = new Uint32Array(memory.buffer);
    this.i32 = new Int32Array(memory.buffer);
    this.f64 = new Float64Array(memory.buffer);
  }

  /** Bytes in blocks that are held. */
  get usedBytes(): number {
    return bytesOf(this.#used);
  }

  /** The same by what they are for. */
  get used(): Readonly<Record<ArenaUse, number>> {
    return this.#used;
  }

  /** Byte offset of the scratch bitmap `index`. */
  scratchBitmap(index: number): number {
    invariant(index < SCRATCH_BITMAP_COUNT, 'a condition needs more scratch bitmaps than an arena has');
    return ARENA_RESERVED_BYTES + index * BITMAP_BYTES;
  }

  /** Byte offset of the scratch selection. */
  get scratchSelection(): number {
    return ARENA_RESERVED_BYTES + SCRATCH_BITMAP_COUNT * BITMAP_BYTES;
  }

  /** A zeroed block of at least `bytes`, or null when the arena has no room for it. */
  allocate(bytes: number, use: ArenaUse = 'values'): Block | null {
    const size = classBytes(bytes);
    const freed = this.#free.get(size)?.pop();
    if (freed !== undefined) {
      this.u8.fill(0, freed, freed + size);
      this.#used[use] += size;
      return { arena: this, at: freed, bytes: size, use };
    }
    if (this.#next + size > this.#temporaryAt) return null;
    const block = { arena: this, at: this.#next, bytes: size, use };
    this.#next += size;
    this.#used[use] += size;
    return block;
  }

  /** Byte offset of `bytes` zeroed bytes for the time of one query, or null when that many are not left. */
  takeTemporary(bytes: number): number | null {
    const at = this.#temporaryEnd;
    if (at + bytes > this.#end) return null;
    this.#temporaryEnd = at + classBytes(bytes);
    this.#temporaryCount++;
    this.u8.fill(0, at, at + bytes);
    return at;
  }

  /** Gives one taken piece back; the room is free again when all are. */
  releaseTemporary(): void {
    if (--this.#temporaryCount === 0) this.#temporaryEnd = this.#temporaryAt;
  }

  release(block: Block): void {
    const list = this.#free.get(block.bytes);
    if (list === undefined) this.#free.set(block.bytes, [block.at]);
    else list.push(block.at);
    this.#used[block.use] -= block.bytes;
  }
}

/** All arenas of one worker. */
export class ArenaPool {
  readonly #module: WebAssembly.Module | null;
  readonly #arenaBytes: number;
  readonly #arenas: Arena[] = [];

  /** `module` null = no SIMD: the kernels' TypeScript twins run. */
  constructor(module: WebAssembly.Module | null, arenaBytes: number = ARENA_BYTES) {
    this.#module = module;
    this.#arenaBytes = arenaBytes;
  }

  get usedBytes(): number {
    return bytesOf(this.used);
  }

  /** Bytes in blocks that are held, by what they are for. */
  get used(): Readonly<Record<ArenaUse, number>> {
    const used = { ...NOTHING_USED };
    for (const arena of this.#arenas) for (const use of ARENA_USES) used[use] += arena.used[use];
    return used;
  }

  /**
   * Zeroed blocks of at least the given sizes, all in one arena: `near`, if it has room for them. `uses`: what each is for;
   * where there are fewer, the last one holds for the rest.
   */
  allocate(sizes: readonly number[], near: Arena | null, ...uses: ArenaUse[]): Block[] {
    const beside = near === null ? null : tryAll(near, sizes, uses);
    if (beside !== null) return beside;
    for (let index = this.#arenas.length - 1; index >= 0; index--) {
      const blocks = tryAll(this.#arenas[index], sizes, uses);
      if (blocks !== null) return blocks;
    }
    const arena = new Arena(this.#module, this.#arenaBytes);
    const blocks = tryAll(arena, sizes, uses);
    invariant(blocks !== null, 'a column of one segment is larger than an arena');
    this.#arenas.push(arena);
    return blocks;
  }

  /**
   * Blocks of at least the given sizes, all in one arena, with the content of `blocks` as far as it fits; those are
   * released. There may be more sizes than blocks.
   */
  resize(blocks: readonly Block[], sizes: readonly number[]): Block[] {
    const resized = this.allocate(sizes, blocks[0].arena, ...blocks.map(({ use }) => use));
    for (let index = 0; index < blocks.length; index++) {
      const { arena, at, bytes } = blocks[index];
      const kept = Math.min(bytes, resized[index].bytes);
      resized[index].arena.u8.set(arena.u8.subarray(at, at + kept), resized[index].at);
      arena.release(blocks[index]);
    }
    return resized;
  }

  /** Drops every arena that holds nothing, which gives its memory back. */
  dropEmpty(): void {
    for (let index = this.#arenas.length - 1; index >= 0; index--) {
      if (this.#arenas[index].usedBytes === 0) this.#arenas.splice(index, 1);
    }
  }
}

function tryAll(arena: Arena, sizes: readonly number[], uses: readonly ArenaUse[]): Block[] | null {
  const blocks: Block[] = [];
  for (let index = 0; index < sizes.length; index++) {
    const block = arena.allocate(sizes[index], uses[index] ?? uses.at(-1));
    if (block === null) {
      for (const taken of blocks) arena.release(taken);
      return null;
    }
    blocks.push(block);
  }
  return blocks;
}
