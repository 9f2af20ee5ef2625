/**
 * The door of the hot parser: a request's body to encoded batches, or to the one error that it deserves.
 *
 * Passes. A plain body is read by SIMD (plain-walk.ts), which gives up on everything else and never words a fault. Nearly
 * every other body takes one walk (walk.ts). A walk that meets a dimension behind an entity's first key is
 * repeated with dimensions sought. A walk that meets a fault is followed by a check of the whole body's syntax, which
 * wins (1503); then, where auto-create allows it, by telling what is to be created (infer.ts) and a walk against the
 * model with all that in it. So the fault answered is always the first in the document.
 * Invariants: either everything is parsed or nothing leaves; the body's bytes are not changed; no input throws.
 *
 * What counts as an inserted value: every value of a latest-value column, every item of a list, every event, also
 * where a later one in the same entity replaces it; a null (which takes away) counts 0. A body without entities is
 * valid and inserts nothing.
 */
import { invariant, type WireError } from '../base/index.js';
import { findAutoCreate, readAutoCreate } from './auto-create.js';
import { encodeAll } from './encode.js';
import { LATE_DIMENSION } from './entity.js';
import { InsertFault } from './fault.js';
import { type Inferred, inferColumns } from './infer.js';
import { checkBody } from './json.js';
import type { ParseContext, ParsedInsert, ParseOutcome } from './parse.js';
import type { IngestScratch } from './scratch.js';
import { ModelTables } from './tables.js';
import { InsertWalk } from './walk.js';

/** A walk over the body in scratch.source: the walk, and the fault that ended it early. */
function walkBody(
  scratch: IngestScratch,
  tables: ModelTables,
  nowMs: number,
  seek: boolean,
): { walk: InsertWalk; fault: InsertFault | null } {
  tables.clear();
  scratch.pools.releaseAll();
  const walk = new InsertWalk(scratch, tables, nowMs, seek);
  try {
    walk.run();
    return { walk, fault: null };
  } catch (thrown) {
    if (thrown instanceof InsertFault) return { walk, fault: thrown };
    throw thrown;
  }
}

/** What came of a body; `offset`: where in it the fault stands, 0 when it is one of auto-create. */
export type WalkOutcome =
  | { readonly parsed: ParsedInsert }
  | { readonly error: WireError; readonly offset: number };

/** The fault of the body's syntax, or null. */
function syntaxFaultOf(scratch: IngestScratch): InsertFault | null {
  try {
    checkBody(scratch.source);
    return null;
  } catch (thrown) {
    if (thrown instanceof InsertFault) return thrown;
    throw thrown;
  }
}

function finish(
  scratch: IngestScratch,
  tables: ModelTables,
  walk: InsertWalk,
  created: Pick<ParsedInsert, 'createdDimensions' | 'createdColumns'>,
): WalkOutcome {
  const { buffer, batches } = encodeAll(scratch, tables);
  const { entityCount, valueCount } = walk;
  const { createdDimensions, createdColumns } = created;
  return { parsed: { entityCount, valueCount, buffer, batches, createdDimensions, createdColumns } };
}

const NOTHING_CREATED: Pick<Inferred, 'createdDimensions' | 'createdColumns'> = {
  createdDimensions: [],
  createdColumns: [],
};

/** What to answer for a body on which a walk found a fault. */
function diagnose(context: ParseContext, scratch: IngestScratch, tables: ModelTables): WalkOutcome {
  const broken = syntaxFaultOf(scratch);
  if (broken !== null) {
    return { error: { code: broken.code, message: broken.text }, offset: broken.offset };
  }
  const creates = readAutoCreate(scratch.source, findAutoCreate(scratch.source), context.customKey);
  if (creates !== null && 'refused' in creates) return { error: creates.refused, offset: 0 };

  const inferred = creates === null ? null : inferColumns(scratch.source, context.model, creates);
  let extended = tables;
  if (inferred !== null) {
    extended = new ModelTables(inferred.model, inferred.midnights);
    extended.prepare(context.shardCount, context.columnIds);
  }
  const { walk, fault } = walkBody(scratch, extended, context.nowMs, true);
  const refused = inferred?.fault ?? null;
  if (refused !== null && (fault === null || refused.offset <= fault.offset)) return refused;
  if (fault !== null) {
    invariant(fault.code !== 1503, `the walk refused a body that is valid JSON: ${fault.text}`);
    return { error: walk.describe(fault, context.subject), offset: fault.offset };
  }
  return finish(scratch, extended, walk, inferred ?? NOTHING_CREATED);
}

/**
 * Parses an insert body against one model. `body` may be any bytes, shared or not, and is only read. The result is
 * valid until the next parse with the same `scratch`: its batches lie in there.
 */
export function parseInsert(body: Uint8Array, context: ParseContext, scratch: IngestScratch): ParseOutcome {
  const tables = scratch.tablesOf(context.model, context.shardCount, context.columnIds);
  // The "set" of an update is too small to lay tables for.
  const plain = context.subject === 'set' ? null : scratch.plain?.parse(body, context.nowMs, tables);
  return plain ? { parsed: plain } : parseByWalk(body, context, scratch, tables);
}

/** The same by the walk in TypeScript alone; `tables` are those of the context's model. */
export function parseByWalk(
  body: Uint8Array,
  context: ParseContext,
  scratch: IngestScratch,
  tables: ModelTables,
): WalkOutcome {
  scratch.source.load(body);
  try {
    let seek = scratch.lateDimensions;
    let { walk, fault } = walkBody(scratch, tables, context.nowMs, seek);
    if (fault === LATE_DIMENSION) {
      seek = true;
      ({ walk, fault } = walkBody(scratch, tables, context.nowMs, seek));
    }
    if (fault === null) {
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
