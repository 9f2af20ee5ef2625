/** The state that all views share: the clients and the model of the database. */
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Draft } from '../query/draft.js';
import type { Client } from '../server/client.js';
import type { Model } from '../server/model.js';

/** A text to open in the query view. */
export interface QueryText {
  /** Path of an endpoint, such as `/v1/sql`. */
  readonly path: string;
  readonly body: string;
}

export interface Console {
  /** Client with the key of the database. */
  readonly client: Client;
  /** Client with the team key; null = the session has none. */
  readonly team: Client | null;
  readonly model: Model;
  readonly reloadModel: () => void;
  /** The current theme, 'light' or 'dark': charts are redrawn when it changes. */
  readonly theme: string;
  readonly openDraft: (draft: Draft, windowOf: string | null) => void;
  readonly openQuery: (text: QueryText) => void;
  readonly onEnded: () => void;
}

export const ConsoleContext = createContext<Console | null>(null);

export function useConsole(): Console {
  const found = useContext(ConsoleContext);
  if (found === null) throw new Error('used outside the console');
  return found;
}
