/**
 * POST /v1/data_extraction/result and POST /v1/data_extraction/score. Each binds and asks in one turn; the
 * engine refuses what it cannot ask as it was bound any more.
 */
import * as api from '../../api/index.js';
import { type Catalog, databaseOf } from '../../catalog/index.js';
import type { Asking, QueryApi } from '../../engine/index.js';
import type { DatabaseModel } from '../../schema/index.js';
import type { DatabaseCall, Members } from './handler.js';

/** How rows are asked for: freely, or at one version with others. */
type Extract = QueryApi['extract'];

export async function extractResult(call: DatabaseCall): Promise<Members> {
  const extraction = api.bindExtraction(api.parseJson(call.body), requestOf(call, call.model));
  const rows = await call.engine.extract(extraction.plan, askingOf(call, extraction));
  return api.extractionText(extraction, rows);
}

export async function extractScore(call: DatabaseCall): Promise<Members> {
  const body = api.parseJson(call.body);
  const score = api.bindScore(body, requestOf(call, call.model));
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

/** Throws as well when the caller is not let in any more. */
function boundAnew(call: DatabaseCall, body: api.Json, newest: Catalog): api.Score {
  call.checkAgain(newest);
  return api.bindScore(body, requestOf(call, databaseOf(newest, call.databaseId)));
}

async function withNearest(call: DatabaseCall, score: api.Score, extract: Extract): Promise<Members> {
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
  score: api.Score,
  nearestIds: readonly string[],
  extract: Extract,
): Promise<Members> {
  const { extraction } = score;
  const plan = api.planWithNearest(score, nearestIds);
  const rows = plan === null ? [] : await extract(plan, askingOf(call, extraction));
  return api.extractionText(extraction, rows);
}

function requestOf({ nowMs, access, caller }: DatabaseCall, model: DatabaseModel): api.ExtractionRequest {
  const who = caller.kind === 'user' ? ['user', caller.email] : ['key', caller.hash];
  return { model, nowMs, access, caller: JSON.stringify(who) };
}

function askingOf({ hangUp }: DatabaseCall, { bypassCache }: api.Extraction): Asking {
  return { hangUp, bypassCache };
}
