/** What requests are made from, and their form. */
import type { ServerRequest } from '../server/client.js';
import type { Dimension } from '../server/model.js';
import type { Draft } from './draft.js';
import type { Problems } from './problems.js';

export interface Source {
  readonly draft: Draft;
  readonly dimension: Dimension | undefined;
  /** The draft's conditions as a query list; empty = all entities. */
  readonly filter: readonly unknown[];
  /** Receives what the draft lacks. */
  readonly problems: Problems;
}

export interface Post extends ServerRequest {
  readonly body: string;
}

export const post = (path: string, body: unknown): Post => ({
  method: 'POST',
  path,
  body: JSON.stringify(body),
});
