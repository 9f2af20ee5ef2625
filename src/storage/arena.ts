/**
 * Arenas: WebAssembly memories of fixed size that contain segments, so that kernels process them in place.
 * Invariants: an arena never grows (its views never detach); a block is at least as long as requested, 64-aligned and zeroed;
 * freed blocks are reused for their size class; memory returns to the system only with the whole arena. Untouched pages use
 * address space, not memory, so a large arena is cheap.
 */
import { ARENA_USES, type ArenaUse, bytesOf, invariant } from '../base/index.js';
import { ARENA_RESERVED_BYTES, type Kernels, kernelsFor } from '../kernels/index.js';

export const ARENA_BYTES = 256 * 2 ** 20;
const PAGE_BYTES = 65_536;
const BLOCK_BYTES_MIN = 64;

/** Size of a bitmap over SEGMENT_ROWS_MAX rows, the result of a kernel. */
export const BITMAP_BYTES = 8_192;
/** Size of a selection of SEGMENT_ROWS_MAX u32 rows. */
const SELECTION_BYTES = 262_144;
const SCRATCH_BITMAP_COUNT = 32;
/** The end of an arena, for temporary data of a running query (tables of codes: a bit per distinct string). */
const TEMPORARY_PART = 1 / 32;
const SCRATCH_BYTES = BITMAP_BYTES * SCRATCH_BITMAP_COUNT + SELECTION_BYTES;

/** Returns the size class of a request: the next power of two. */
function classBytes(bytes: number): number {
  return bytes <= BLOCK_BYTES_MIN ? BLOCK_BYTES_MIN : 2 ** (32 - Math.clz32(bytes - 1));
}

const NOTHING_USED: Readonly<Record<ArenaUse, number>> = {
  'entity-ids': 0,
  values: 0,
  bitmaps: 0,
  events: 0,
};

/** A block of an arena; its length is its size class. */
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
  /** Start of the temporary area, which extends to the end of the arena. */
  readonly #temporaryAt: number;
  readonly #end: number;
  #temporaryEnd: number;
  #temporaryCount = 0;

  /** `bytes` is a multiple of the 64 KiB page size and exceeds the scratch area; tests use small arenas. */
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

  /** Bytes in allocated blocks. */
  get usedBytes(): number {
    return bytesOf(this.#used);
  }

  /** Bytes in allocated blocks by use. */
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

  /** Returns a zeroed block of at least `bytes`, or null if the arena is full. */
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

  /** Returns the offset of `bytes` zeroed bytes for the duration of a query, or null if the temporary area is too full. */
  reserveTemporary(bytes: number): number | null {
    const at = this.#temporaryEnd;
    if (at + bytes > this.#end) return null;
    this.#temporaryEnd = at + classBytes(bytes);
    this.#temporaryCount++;
    this.u8.fill(0, at, at + bytes);
    return at;
  }

  /** Releases one temporary block; the area is reused once all blocks are released. */
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

  /** Bytes in allocated blocks by use. */
  get used(): Readonly<Record<ArenaUse, number>> {
    const used = { ...NOTHING_USED };
    for (const arena of this.#arenas) for (const use of ARENA_USES) used[use] += arena.used[use];
    return used;
  }

  /**
   * Returns zeroed blocks of at least the given sizes, all in one arena: `near` if they fit. `uses` names the use of each block;
   * the last one applies to all further blocks.
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
   * Returns blocks of at least the given sizes, all in one arena, with the contents of `blocks` as far as they fit, and releases
   * `blocks`. There may be more sizes than blocks.
   */
  resize(blocks: readonly Block[], sizes: readonly number[]): Block[] {
    const resized = this.allocate(sizes, blocks[0].arena, ...blocks.map(({ use }) => use));
    for (let index = 0; index < blocks.length; index++) {
      const { arena, at, bytes } = blocks[index];
      const copiedBytes = Math.min(bytes, resized[index].bytes);
      resized[index].arena.u8.set(arena.u8.subarray(at, at + copiedBytes), resized[index].at);
      arena.release(blocks[index]);
    }
    return resized;
  }

  /** Drops every empty arena, which returns its memory to the system. */
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
