/**
 * POST /v1/data_extraction/result and POST /v1/data_extraction/score: in JSON page by page, in other formats all rows in
 * one answer. Each binds and asks in one turn; the engine refuses what it cannot ask as it was bound any more.
 */
import type { RowStream, StreamEncoder } from '../../../answer/index.js';
import * as api from '../../../api/index.js';
import { type Catalog, databaseOf } from '../../../catalog/index.js';
import type { Asking, QueryApi } from '../../../engine/index.js';
import { answerOrder, type ExtractedRow, type ExtractPlan } from '../../../ir/index.js';
import type { DatabaseModel } from '../../../schema/index.js';
import type { DatabaseCall, Members, StreamedAnswer } from './handler.js';

/** How rows are asked for: freely, or at one version with others. */
type Extract = QueryApi['extract'];

export async function extractResult(call: DatabaseCall): Promise<Members | StreamedAnswer> {
  const { engine, format } = call;
  const asked = api.bindExtraction(api.parseJson(call.body), requestOf(call, call.model));
  if (format === 'json') {
    noteAsked(call, asked.plan);
    const rows = await engine.extract(asked.plan, askingOf(call, asked));
    call.notes.rowCount = rows.length;
    return api.extractionText(asked, rows);
  }
  const { extraction, encoder } = api.wholeExtraction(asked, format);
  noteAsked(call, extraction.plan);
  return { rows: engine.extractStream(extraction.plan, encoder, askingOf(call, extraction)) };
}

export async function extractScore(call: DatabaseCall): Promise<Members | StreamedAnswer> {
  const body = api.parseJson(call.body);
  const score = boundScore(call, body, call.model);
  if (score.nearest === null)
    return scoredRows(call, score, [], (plan, asking) => call.engine.extract(plan, asking));
  return call.engine.atOneVersion((extract) => {
    // Other queries may have been waited for: what is asked is bound to the model of this turn.
    const newest = call.engine.catalog();
    return newest === call.catalog
      ? withNearest(call, score, extract)
      : withNearest(call, boundAnew(call, body, newest), extract);
  });
}

/** A score, and what writes its rows; null = as a page of JSON. */
interface BoundScore extends api.Score {
  readonly encoder: StreamEncoder<ExtractedRow> | null;
}

function boundScore(call: DatabaseCall, body: api.Json, model: DatabaseModel): BoundScore {
  const score = api.bindScore(body, requestOf(call, model));
  if (call.format === 'json') return { ...score, encoder: null };
  return { ...score, ...api.wholeExtraction(score.extraction, call.format) };
}

/** Throws as well when the caller is not let in any more. */
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
  const found = nearest === null ? [] : await extract(nearest, askingOf(call, extraction));
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
  if (plan !== null) noteAsked(call, plan);
  const rows = plan === null ? [] : answerOrder(plan, await extract(plan, askingOf(call, extraction)));
  call.notes.rowCount = rows.length;
  return encoder === null ? api.extractionText(extraction, rows) : { rows: streamOf(rows, encoder) };
}

function noteAsked({ notes }: DatabaseCall, plan: ExtractPlan): void {
  notes.asked = () => [{ asks: 'extract', plan }];
}

/** Rows that are all there. */
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

function askingOf({ cancellation }: DatabaseCall, { bypassCache }: api.Extraction): Asking {
  return { cancellation, bypassCache };
}
