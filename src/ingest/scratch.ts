/**
 * What a worker thread keeps from one parse to the next, so that a parse in steady state allocates next to nothing:
 * the body's copy, builders, tables of the models met, and guesses about bodies.
 * Invariant: nothing in here changes an answer, only its speed; one parse at a time uses it.
 */
import { ENTITIES_PER_INSERT_MAX } from '../base/index.js';
import type { DatabaseModel } from '../schema/index.js';
import { BuilderPools } from './builders.js';
import { PlainWalk } from './plain-walk.js';
import { Source } from './source.js';
import { ModelTables } from './tables.js';
import { TextSink } from './text.js';

const NO_COLUMNS = new Set<never>();

export class IngestScratch {
  /** null = there is no SIMD. */
  readonly plain: PlainWalk | null;
  readonly source = new Source();
  /** Lines that are laid as a body, and one of them. */
  readonly lines = new Source();
  readonly line = new Source('line');
  readonly pools = new BuilderPools();
  /** IDs of the request's entities, lower-cased. */
  readonly ids = new TextSink();
  /** ids.bytes[idEnds[e], idEnds[e + 1]) is the ID of entity e. */
  readonly idEnds = new Int32Array(ENTITIES_PER_INSERT_MAX + 1);
  readonly idHashes = new Int32Array(ENTITIES_PER_INSERT_MAX);
  /** Open addressing by ID hash: entity + 1, 0 = free. */
  readonly idSlots = new Int32Array(4 * 2 ** Math.ceil(Math.log2(ENTITIES_PER_INSERT_MAX)));
  /** For keys that have to be decoded. */
  readonly key = new TextSink();
  readonly cell = new Float64Array(1);
  /** What batches are encoded into before they are copied to shared memory. */
  encoded = new Int32Array(0);
  /** Guess: entities name their dimension elsewhere than first. */
  lateDimensions = false;
  readonly #tables = new WeakMap<DatabaseModel, ModelTables>();

  constructor(kernels: WebAssembly.Module | null) {
    this.plain = kernels === null ? null : new PlainWalk(kernels);
  }

  /** The tables of `model`, made when it is met first, for a caller who may write `columnIds` (null = all). */
  tablesOf(model: DatabaseModel, shardCount: number, columnIds: readonly number[] | null): ModelTables {
    let tables = this.#tables.get(model);
    if (tables === undefined) {
      tables = new ModelTables(model, NO_COLUMNS);
      this.#tables.set(model, tables);
    }
    tables.prepare(shardCount, columnIds);
    return tables;
  }
}

/** Call once per worker thread. `kernels` null = no SIMD: every body is walked by TypeScript. */
export function createIngestScratch(kernels: WebAssembly.Module | null = null): IngestScratch {
  return new IngestScratch(kernels);
}
