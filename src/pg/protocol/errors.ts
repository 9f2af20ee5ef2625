/** Errors sent over the Postgres protocol: SQLSTATE, message and position. */
import { QuarryError } from '../../base/index.js';
import { characterAt } from '../../sql/index.js';
import { sqlStateOf } from './sql-states.js';

/** A protocol violation by the client, or a feature that this server does not support. */
export class ProtocolError extends Error {
  override name = 'ProtocolError';
  /** SQLSTATE. */
  readonly state: string;
  readonly hint: string | null;
  /** See ErrorFields. */
  readonly position: number | null;
  readonly context: string | null;

  constructor(
    state: string,
    message: string,
    hint: string | null = null,
    position: number | null = null,
    context: string | null = null,
  ) {
    super(message);
    this.state = state;
    this.hint = hint;
    this.position = position;
    this.context = context;
  }
}

/** The rows do not have the types that a Describe announced. */
export class ResultChanged extends ProtocolError {
  /** The routine that Postgres reports: drivers recognize this error by the routine or the message, and prepare again. */
  readonly routine = 'RevalidateCachedQuery';

  constructor() {
    super('0A000', 'cached plan must not change result type');
  }
}

/** An error of a statement, with the query text to which its position refers. */
export class StatementError extends Error {
  override name = 'Refused';
  readonly refusal: unknown;
  readonly text: string;

  constructor(refusal: unknown, text: string) {
    super('refused');
    this.refusal = refusal;
    this.text = text;
  }
}

/** A catalog query would read rows of a table that is empty in the catalog. */
export class ReadsRows extends Error {
  override name = 'ReadsRows';
}

/** The client has disconnected. */
export class ClientGone extends Error {
  override name = 'ClientGone';
}

/** Runs `act` and adds the query text to its errors. */
export function withText<T>(text: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    throw withQueryText(error, text);
  }
}

/** Asynchronous form of withText. */
export async function withTextLater<T>(text: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    throw withQueryText(error, text);
  }
}

const withQueryText = (error: unknown, text: string): unknown =>
  error instanceof StatementError || error instanceof ClientGone ? error : new StatementError(error, text);

export interface ErrorFields {
  readonly state: string;
  readonly message: string;
  readonly detail: string | null;
  readonly hint: string | null;
  /** In the query text, in characters from 1. */
  readonly position: number | null;
  /** Where in the data the error occurred, as `COPY table, line 2`. */
  readonly context: string | null;
  readonly routine: string | null;
}

/** An error or a notice without details. */
export const NO_DETAILS = { detail: null, hint: null, position: null, context: null, routine: null } as const;

/** The fields of an ErrorResponse. `text` is the query, null if there is none. Details of a bug are not disclosed. */
export function errorFieldsOf(error: unknown, text: string | null): ErrorFields {
  if (error instanceof StatementError) return errorFieldsOf(error.refusal, error.text);
  if (error instanceof ProtocolError) {
    const { state, message, hint, position, context } = error;
    const routine = error instanceof ResultChanged ? error.routine : null;
    return { ...NO_DETAILS, state, message, hint, position, context, routine };
  }
  if (!(error instanceof QuarryError)) return { ...NO_DETAILS, state: 'XX000', message: 'internal error' };
  const { message, moreInfo } = error;
  return {
    ...NO_DETAILS,
    state: sqlStateOf(error),
    message,
    detail: `error ${error.code}`,
    hint: suggestionIn(moreInfo),
    position: text === null ? null : positionIn(moreInfo, text),
  };
}

function fieldIn(moreInfo: unknown, name: string): unknown {
  return typeof moreInfo === 'object' && moreInfo !== null ? Reflect.get(moreInfo, name) : undefined;
}

function suggestionIn(moreInfo: unknown): string | null {
  const suggestion = fieldIn(moreInfo, 'suggestion');
  return typeof suggestion === 'string' ? `Did you mean ${suggestion}?` : null;
}

function positionIn(moreInfo: unknown, text: string): number | null {
  const line = fieldIn(moreInfo, 'line');
  const column = fieldIn(moreInfo, 'column');
  if (typeof line !== 'number' || typeof column !== 'number') return null;
  return characterAt(text, { line, column });
}
