/**
 * State that a worker thread keeps between parses, so that a parse in steady state allocates almost nothing: a copy of the body,
 * builders, tables of known models, and guesses about bodies.
 * Invariant: the state affects speed only, not results. One parse at a time uses it.
 */
import type { DatabaseModel } from '../schema/index.js';
import { BuilderPools } from './builders.js';
import type { BatchMemory } from './columnar/batch-memory.js';
import { PlainWalk } from './plain/walk.js';
import { RequestIds } from './request-ids.js';
import { Source } from './source.js';
import { ModelTables } from './tables.js';
import { TextSink } from './values/text.js';

const NO_COLUMNS = new Set<never>();

export class IngestScratch {
  /** null = SIMD is not available. */
  readonly plain: PlainWalk | null;
  readonly source = new Source();
  /** The lines rewritten as a body, and a single line. */
  readonly lines = new Source();
  readonly line = new Source('line');
  readonly pools = new BuilderPools();
  readonly ids = new RequestIds();
  /** For keys with escapes. */
  readonly key = new TextSink();
  readonly dateResult = new Float64Array(1);
  /** Encoded batches, before they are copied to shared memory. */
  encoded = new Int32Array(0);
  /** Of rows of Arrow, by shard. */
  readonly batchMemories: BatchMemory[] = [];
  /** Guess: "dimension" is not the first key of entities. */
  lateDimensions = false;
  readonly #tables = new WeakMap<DatabaseModel, ModelTables>();

  constructor(kernels: WebAssembly.Module | null) {
    this.plain = kernels === null ? null : new PlainWalk(kernels);
  }

  /** Returns the tables of `model` for a caller who may write `columnIds` (null = all); they are built on first use. */
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

/** Call once per worker thread. `kernels` null = no SIMD: every body is parsed by TypeScript. */
export function createIngestScratch(kernels: WebAssembly.Module | null = null): IngestScratch {
  return new IngestScratch(kernels);
}
