/**
 * The entry point of the hot parser: turns a request body into encoded batches or the first error of the document.
 * Passes. A plain body is read by SIMD (plain/walk.ts), which rejects every other body and reports no errors. Nearly all
 * remaining bodies take one walk (walk.ts). If a walk meets a "dimension" key that is not an entity's first key, it is repeated
 * with `seek`. If a walk meets an error, the syntax of the whole body is checked; a syntax error wins (1503). Otherwise, if
 * auto-create allows it, the missing objects are inferred (infer.ts), and a second walk uses the extended model. The reported
 * error is therefore always the first in the document.
 * Invariants: either the whole body is parsed or nothing is returned; the body is not modified; no input makes the parser throw.
 * Counted as inserted values: every value of a latest-value column, every item of a list and every event, even if a later value
 * in the same entity replaces it. A null (removal) counts 0. A body without entities is valid and inserts nothing.
 */
import { invariant, type WireError } from '../base/index.js';
import { encodeAll } from './encode.js';
import { LATE_DIMENSION } from './entity.js';
import { type AutoCreateOptions, findAutoCreate, readAutoCreate } from './infer/auto-create.js';
import { type Inferred, inferColumns } from './infer/infer.js';
import { withRelations } from './infer/relate.js';
import { InsertError } from './insert-error.js';
import { checkBody } from './json.js';
import type { ParseContext, ParsedInsert, ParseOutcome } from './parse.js';
import type { IngestScratch } from './scratch.js';
import type { Source } from './source.js';
import { ModelTables } from './tables.js';
import { InsertWalk } from './walk.js';

/** Walks over the body in scratch.source; returns the walk and the error that ended it, or null. */
function walkBody(
  scratch: IngestScratch,
  tables: ModelTables,
  nowMs: number,
  seek: boolean,
): { walk: InsertWalk; error: InsertError | null } {
  tables.clear();
  scratch.pools.releaseAll();
  const walk = new InsertWalk(scratch, tables, nowMs, seek);
  try {
    walk.run();
    return { walk, error: null };
  } catch (thrown) {
    if (thrown instanceof InsertError) return { walk, error: thrown };
    throw thrown;
  }
}

/** The outcome of a body. `offset` is the position of the error in the body, 0 for errors of auto-create. */
export type WalkOutcome =
  | { readonly parsed: ParsedInsert }
  | { readonly error: WireError; readonly offset: number };

/** Returns the syntax error of the body, or null. */
function syntaxErrorOf(scratch: IngestScratch): InsertError | null {
  try {
    checkBody(scratch.source);
    return null;
  } catch (thrown) {
    if (thrown instanceof InsertError) return thrown;
    throw thrown;
  }
}

function finish(
  scratch: IngestScratch,
  tables: ModelTables,
  walk: InsertWalk,
  created: Pick<ParsedInsert, Created>,
): WalkOutcome {
  const { buffer, batches } = encodeAll(scratch, tables);
  const { entityCount, valueCount } = walk;
  const { createdDimensions, createdColumns, createdRelations } = created;
  return {
    parsed: {
      ...{ entityCount, valueCount, buffer, batches },
      ...{ createdDimensions, createdColumns, createdRelations },
    },
  };
}

type Created = 'createdDimensions' | 'createdColumns' | 'createdRelations';

const NOTHING_CREATED: Pick<Inferred, Created> = {
  createdDimensions: [],
  createdColumns: [],
  createdRelations: [],
};

function inferredOf(source: Source, { model, relates }: ParseContext, creates: AutoCreateOptions): Inferred {
  const inferred = inferColumns(source, model, creates);
  return relates === undefined ? inferred : withRelations(inferred, relates);
}

/** Determines the outcome of a body for which a walk reported an error. */
function diagnose(context: ParseContext, scratch: IngestScratch, tables: ModelTables): WalkOutcome {
  const broken = syntaxErrorOf(scratch);
  if (broken !== null) {
    return { error: { code: broken.code, message: broken.text }, offset: broken.offset };
  }
  const creates = readAutoCreate(scratch.source, findAutoCreate(scratch.source), context.customKey);
  if (creates !== null && 'refused' in creates) return { error: creates.refused, offset: 0 };

  const inferred = creates === null ? null : inferredOf(scratch.source, context, creates);
  let extended = tables;
  if (inferred !== null) {
    extended = new ModelTables(inferred.model, inferred.midnights);
    extended.prepare(context.shardCount, context.columnIds);
  }
  const { walk, error } = walkBody(scratch, extended, context.nowMs, true);
  const refused = inferred?.error ?? null;
  if (refused !== null && (error === null || refused.offset <= error.offset)) return refused;
  if (error !== null) {
    invariant(error.code !== 1503, `the walk refused a body that is valid JSON: ${error.text}`);
    return { error: walk.describe(error, context.subject), offset: error.offset };
  }
  return finish(scratch, extended, walk, inferred ?? NOTHING_CREATED);
}

/**
 * Parses an insert body against one model. `body` may be any bytes, shared or not, and is only read. The result refers to memory
 * of `scratch` and is valid until the next parse with it.
 */
export function parseInsert(body: Uint8Array, context: ParseContext, scratch: IngestScratch): ParseOutcome {
  const tables = scratch.tablesOf(context.model, context.shardCount, context.columnIds);
  // The "set" of an update is too small to pay for plain tables.
  const plain = context.subject === 'set' ? null : scratch.plain?.parse(body, context.nowMs, tables);
  return plain ? { parsed: plain } : parseByWalk(body, context, scratch, tables);
}

/** Like `parseInsert`, with the walk in TypeScript only; `tables` are those of the context's model. */
export function parseByWalk(
  body: Uint8Array,
  context: ParseContext,
  scratch: IngestScratch,
  tables: ModelTables,
): WalkOutcome {
  scratch.source.load(body);
  scratch.ids.repeats = context.repeatsIds === true;
  try {
    let seek = scratch.lateDimensions;
    let { walk, error } = walkBody(scratch, tables, context.nowMs, seek);
    if (error === LATE_DIMENSION) {
      seek = true;
      ({ walk, error } = walkBody(scratch, tables, context.nowMs, seek));
    }
    if (error === null) {
      scratch.lateDimensions = seek && walk.lateDimensionSeen;
      const creates = readAutoCreate(scratch.source, walk.autoCreateAt, context.customKey);
      if (creates !== null && 'refused' in creates) return { error: creates.refused, offset: 0 };
      return finish(scratch, tables, walk, NOTHING_CREATED);
    }
    return diagnose(context, scratch, tables);
  } finally {
    tables.clear();
    scratch.pools.releaseAll();
  }
}
