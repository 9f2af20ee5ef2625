/**
 * Errors sent over the Postgres protocol: SQLSTATE, message and position. QuarryErrors get the SQLSTATE that Postgres uses for
 * similar errors.
 */
import { type ErrorCode, QuarryError } from '../../base/index.js';
import { characterAt } from '../../sql/index.js';

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

const STATES: Readonly<Partial<Record<ErrorCode, string>>> = {
  1: 'XX000',
  500: '28P01',
  501: '28P01',
  502: '28P01',
  503: '42501',
  504: '28000',
  505: '42501',
  506: '42501',
  507: '42501',
  509: '42501',
  511: '42501',
  1000: '28000',
  1001: '28000',
  1002: '28000',
  1003: '28000',
  1502: '53400',
  2014: '22007',
  9002: '53100',
  9003: '53200',
  9004: '57P03',
  9005: '57014',
  9006: '53200',
};
const SYNTAX = '42601';
/** SQLSTATEs of error 6000 by the form of its message. */
const SQL_STATES: readonly (readonly [RegExp, string])[] = [
  [/^there is no (column|name) /i, '42703'],
  [/^there is no (table|dimension) /i, '42P01'],
  [/^there is no (function|aggregate) /i, '42883'],
  [/^there is no type /i, '42704'],
  [/^division by zero$/, '22012'],
  [/ cannot be read as /, '22P02'],
  [/^numeric field overflow|more than 38 digits|integers of more than 64 bits/, '22003'],
  [/^a date is outside /, '22008'],
  [/is a column of .*: write the table before it$|^two columns (of the answer )?are called /, '42702'],
  [/^two tables are called /, '42712'],
  [/ must (also )?be in GROUP BY/, '42803'],
  [/ is not available|are not available/, '0A000'],
  [/(holds|have|has) .*more than [\d,]+ /, '54000'],
];

const OTHER_STATE = '22000';

/** The fields of an ErrorResponse. `text` is the query, null if there is none. Details of a bug are not disclosed. */
export function errorFieldsOf(error: unknown, text: string | null): ErrorFields {
  if (error instanceof StatementError) return errorFieldsOf(error.refusal, error.text);
  if (error instanceof ProtocolError) {
    const { state, message, hint, position, context } = error;
    const routine = error instanceof ResultChanged ? error.routine : null;
    return { ...NO_DETAILS, state, message, hint, position, context, routine };
  }
  if (!(error instanceof QuarryError)) return { ...NO_DETAILS, state: 'XX000', message: 'internal error' };
  const { code, message, moreInfo } = error;
  return {
    ...NO_DETAILS,
    state: stateOf(code, message, moreInfo),
    message,
    detail: `error ${code}`,
    hint: suggestionIn(moreInfo),
    position: text === null ? null : positionIn(moreInfo, text),
  };
}

/** An error of SQL that is a broken rule of another endpoint has the code of that rule in `moreInfo`. */
function stateOf(code: ErrorCode, message: string, moreInfo: unknown): string {
  const rule = fieldIn(moreInfo, 'code');
  if (code === 2007 || rule === 2007) return / is outside /.test(message) ? '22003' : '22P02';
  if (rule === 2014) return '22007';
  return code === 6000 ? sqlState(message) : (STATES[code] ?? OTHER_STATE);
}

const sqlState = (message: string): string =>
  SQL_STATES.find(([begins]) => begins.test(message))?.[1] ?? SYNTAX;

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
