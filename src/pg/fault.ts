/**
 * What is refused over the protocol of Postgres: SQLSTATE, sentence and place. Faults of the request or of the moment come as
 * QuarryErrors and get the SQLSTATE that clients know for the like.
 */
import { type ErrorCode, QuarryError } from '../base/index.js';
import { characterAt } from '../sql/index.js';

/** A client's breach of the protocol, or what this side of it does not offer. */
export class ProtocolFault extends Error {
  override name = 'ProtocolFault';
  /** SQLSTATE. */
  readonly state: string;
  readonly hint: string | null;
  /** As that of ErrorFields. */
  readonly position: number | null;

  constructor(state: string, message: string, hint: string | null = null, position: number | null = null) {
    super(message);
    this.state = state;
    this.hint = hint;
    this.position = position;
  }
}

/** The rows would not be what they were described as. */
export class ResultChanged extends ProtocolFault {
  /** Of Postgres: drivers that prepare anew then know this fault by its name, or by the sentence. */
  readonly routine = 'RevalidateCachedQuery';

  constructor() {
    super('0A000', 'cached plan must not change result type');
  }
}

/** A refusal of a statement, with the text that its place counts in. */
export class Refused extends Error {
  override name = 'Refused';
  readonly refusal: unknown;
  readonly text: string;

  constructor(refusal: unknown, text: string) {
    super('refused');
    this.refusal = refusal;
    this.text = text;
  }
}

/** The catalog was asked for rows of a table that it shows, of which it holds none. */
export class ReadsRows extends Error {
  override name = 'ReadsRows';
}

/** Nobody is there to be told anything. */
export class ClientGone extends Error {
  override name = 'ClientGone';
}

/** What `act` throws has its places in `text`. */
export function withText<T>(text: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    throw placed(error, text);
  }
}

/** The same for what `act` rejects with. */
export async function withTextLater<T>(text: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    throw placed(error, text);
  }
}

const placed = (error: unknown, text: string): unknown =>
  error instanceof Refused || error instanceof ClientGone ? error : new Refused(error, text);

export interface ErrorFields {
  readonly state: string;
  readonly message: string;
  readonly detail: string | null;
  readonly hint: string | null;
  /** In the text of the query, in characters from 1. */
  readonly position: number | null;
  readonly routine: string | null;
}

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
  9002: '53100',
  9003: '53200',
  9004: '57P03',
  9005: '57014',
  9006: '53200',
};
const SYNTAX = '42601';
/** By how the sentence of a 6000 begins. */
const OF_SQL: readonly (readonly [RegExp, string])[] = [
  [/^there is no (column|name) /i, '42703'],
  [/^there is no (table|dimension) /i, '42P01'],
  [/^there is no (function|aggregate) /i, '42883'],
  [/^there is no type /i, '42704'],
  [/ is not available|are not available/, '0A000'],
  [/(holds|have|has) .*more than [\d,]+ /, '54000'],
];

const ANY_OTHER = '22000';

/** `text`: of the query that was refused; null where there is none. What is no refusal is a bug, of which nothing is told. */
export function fieldsOf(error: unknown, text: string | null): ErrorFields {
  if (error instanceof Refused) return fieldsOf(error.refusal, error.text);
  if (error instanceof ProtocolFault) {
    const { state, message, hint, position } = error;
    const routine = error instanceof ResultChanged ? error.routine : null;
    return { state, message, detail: null, hint, position, routine };
  }
  if (!(error instanceof QuarryError)) {
    const nothing = { detail: null, hint: null, position: null, routine: null };
    return { state: 'XX000', message: 'internal error', ...nothing };
  }
  const { code, message, moreInfo } = error;
  return {
    state: code === 6000 ? sqlState(message) : (STATES[code] ?? ANY_OTHER),
    message,
    detail: `error ${code}`,
    hint: suggestionIn(moreInfo),
    position: text === null ? null : positionIn(moreInfo, text),
    routine: null,
  };
}

const sqlState = (message: string): string => OF_SQL.find(([begins]) => begins.test(message))?.[1] ?? SYNTAX;

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
