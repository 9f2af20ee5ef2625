/**
 * POST /v1/data_extraction/result and POST /v1/data_extraction/score: one page of rows in JSON, all rows in other formats.
 * Each handler binds and starts its query in one turn of the event loop; the engine refuses a plan that no longer fits its model.
 */
import type { RowStream, StreamEncoder } from '../../../answer/index.js';
import * as api from '../../../api/index.js';
import { type Catalog, databaseOf } from '../../../catalog/index.js';
import type { QueryApi } from '../../../engine/index.js';
import { answerOrder, type ExtractedRow, type ExtractPlan } from '../../../ir/index.js';
import type { DatabaseModel } from '../../../schema/index.js';
import { type DatabaseCall, type Members, queryOptionsOf, type StreamedAnswer } from './handler.js';

/** Extracts rows: as a query of its own, or at the same version of the data as other queries. */
type Extract = QueryApi['extract'];

export async function extractResult(call: DatabaseCall): Promise<Members | StreamedAnswer> {
  const { engine, format } = call;
  const page = api.bindExtraction(api.parseJson(call.body), requestOf(call, call.model));
  if (format === 'json') {
    notePlan(call, page.plan);
    const rows = await engine.extract(page.plan, queryOptionsOf(call, page.bypassCache));
    call.notes.rowCount = rows.length;
    return api.extractionText(page, rows);
  }
  const { extraction, encoder } = api.wholeExtraction(page, format);
  notePlan(call, extraction.plan);
  return {
    rows: engine.extractStream(extraction.plan, encoder, queryOptionsOf(call, extraction.bypassCache)),
  };
}

export async function extractScore(call: DatabaseCall): Promise<Members | StreamedAnswer> {
  const body = api.parseJson(call.body);
  const score = boundScore(call, body, call.model);
  if (score.nearest === null)
    return scoredRows(call, score, [], (plan, options) => call.engine.extract(plan, options));
  return call.engine.atOneVersion((extract) => {
    // The request may have waited for other queries, so it is bound again if the catalog has changed.
    const newest = call.engine.catalog();
    return newest === call.catalog
      ? withNearest(call, score, extract)
      : withNearest(call, boundAnew(call, body, newest), extract);
  });
}

/** A score, and the encoder of its rows; null = a page in JSON. */
interface BoundScore extends api.Score {
  readonly encoder: StreamEncoder<ExtractedRow> | null;
}

function boundScore(call: DatabaseCall, body: api.Json, model: DatabaseModel): BoundScore {
  const score = api.bindScore(body, requestOf(call, model));
  if (call.format === 'json') return { ...score, encoder: null };
  return { ...score, ...api.wholeExtraction(score.extraction, call.format) };
}

/** Also throws if the caller is no longer authorized. */
function boundAnew(call: DatabaseCall, body: api.Json, newest: Catalog): BoundScore {
  call.checkAgain(newest);
  return boundScore(call, body, databaseOf(newest, call.databaseId));
}

async function withNearest(
  call: DatabaseCall,
  score: BoundScore,
  extract: Extract,
): Promise<Members | StreamedAnswer> {
  const { nearest, extraction } = score;
  const found = nearest === null ? [] : await extract(nearest, queryOptionsOf(call, extraction.bypassCache));
  return scoredRows(
    call,
    score,
    found.map(({ position }) => position.id),
    extract,
  );
}

async function scoredRows(
  call: DatabaseCall,
  score: BoundScore,
  nearestIds: readonly string[],
  extract: Extract,
): Promise<Members | StreamedAnswer> {
  const { extraction, encoder } = score;
  const plan = api.planWithNearest(score, nearestIds);
  if (plan !== null) notePlan(call, plan);
  const rows =
    plan === null ? [] : answerOrder(plan, await extract(plan, queryOptionsOf(call, extraction.bypassCache)));
  call.notes.rowCount = rows.length;
  return encoder === null ? api.extractionText(extraction, rows) : { rows: streamOf(rows, encoder) };
}

function notePlan({ notes }: DatabaseCall, plan: ExtractPlan): void {
  notes.plans = () => [{ kind: 'extract', plan }];
}

/** A stream of rows that are already in memory. */
function streamOf(rows: readonly ExtractedRow[], encoder: StreamEncoder<ExtractedRow>): RowStream {
  async function* parts(): AsyncGenerator<Uint8Array, void, void> {
    yield encoder.head();
    if (rows.length > 0) yield encoder.rows(rows);
    yield encoder.tail(rows.length);
  }
  return { format: encoder.format, parts: parts() };
}

function requestOf(
  { nowMs, access, caller, format }: DatabaseCall,
  model: DatabaseModel,
): api.ExtractionRequest {
  const who = caller.kind === 'user' ? ['user', caller.email] : ['key', caller.hash];
  return { model, nowMs, access, caller: JSON.stringify(who), whole: format !== 'json' };
}
