/** What all views know: who asks, and what the database holds. */
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Draft } from '../ask/draft.js';
import type { Client } from '../server/client.js';
import type { Model } from '../server/model.js';

/** What the query view is to begin with. */
export interface QueryText {
  /** Path of an endpoint, `/v1/sql` among them. */
  readonly path: string;
  readonly body: string;
}

export interface Console {
  /** Asks inside the database. */
  readonly client: Client;
  /** null = the session has no key of the team. */
  readonly team: Client | null;
  readonly model: Model;
  readonly reloadModel: () => void;
  /** 'light' or 'dark', as it is seen now: what is drawn is drawn anew. */
  readonly theme: string;
  readonly openDraft: (draft: Draft, windowOf: string | null) => void;
  readonly openQuery: (text: QueryText) => void;
  readonly onEnded: () => void;
}

export const ConsoleContext = createContext<Console | null>(null);

export function useConsole(): Console {
  const found = useContext(ConsoleContext);
  if (found === null) throw new Error('used outside of the console');
  return found;
}
