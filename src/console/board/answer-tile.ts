/** Sends the question of a tile. */
import { type Reading, readAnswer } from '../answer/behaviour.js';
import { answerDraft } from '../query/answer-draft.js';
import type { Draft } from '../query/draft.js';
import type { Window } from '../query/fields.js';
import { requestOf } from '../query/request.js';
import { draftOfPlain } from '../query/share.js';
import type { Client } from '../server/client.js';
import { dimensionOf, type Model } from '../server/model.js';
import { bodyWithin, isWhole, type Tile } from './board.js';

/** The question of a tile in a range of time; null = it is a request, or no question about this database. */
export function draftOfTile(tile: Tile, model: Model, range: Window): Draft | null {
  const draft = 'question' in tile ? draftOfPlain(tile.question, model) : null;
  return draft === null || !isWhole(range) ? draft : { ...draft, window: range };
}

/** Rejects with a sentence if the database lacks what the tile is about, or with the errors of `Client.request`. */
export async function answerTile(
  { client, model }: { readonly client: Client; readonly model: Model },
  tile: Tile,
  range: Window,
  signal: AbortSignal,
): Promise<Reading> {
  if ('path' in tile) {
    const body = JSON.stringify(bodyWithin(tile.path, tile.body, range));
    const { json } = await client.request({ method: 'POST', path: tile.path, body }, signal);
    return readAnswer(tile.path, json);
  }
  const draft = draftOfTile(tile, model, range);
  if (draft === null) throw new Error('This tile is about a dimension that the database does not have.');
  const outcome = requestOf(draft, dimensionOf(model, draft.dimension));
  if ('problems' in outcome) throw new Error(outcome.problems.map(({ text }) => text).join(' '));
  return (await answerDraft(client, draft, outcome.question, signal)).reading;
}
