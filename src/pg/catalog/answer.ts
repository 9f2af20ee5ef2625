/** Sends a query to the catalog as one batch of the extended protocol, and turns the reply into an answer. */

import type { VisibleSession } from '../activity/activity.js';
import { ProtocolError } from '../protocol/errors.js';
import { messagesIn } from '../protocol/messages.js';
import type { Answer } from '../session/answer.js';
import type { PostgresRequest } from '../session/queries/select.js';
import type { Waiting } from '../session/waiting.js';
import { type CatalogView, catalogViewOf } from './view.js';

/** Runs queries on the catalog. */
export interface CatalogRunner {
  /**
   * Returns the reply to `messages` of a Postgres that holds the empty tables of `view`. Rejects with ProtocolError if the
   * query exceeds its time or memory limit or is cancelled, and with ReadsRows if it would read one of those tables.
   */
  run(view: CatalogView, messages: Buffer, waiting: Waiting): Promise<Buffer>;
}

export interface CatalogStatement {
  readonly text: string;
  /** The position of `text` in the query, in characters from 1. */
  readonly position: number;
  readonly typeIds: readonly number[];
  /** The role that runs the statement. */
  readonly userName: string;
  /** The sessions that the caller may see. */
  readonly sessions: () => readonly VisibleSession[];
}

export interface BoundValues {
  /** null = NULL. */
  readonly values: readonly (Buffer | null)[];
  readonly parameterFormats: readonly number[];
  readonly formats: readonly number[];
}

const letter = (kind: string): number => kind.charCodeAt(0);

export async function catalogAnswer(
  catalog: CatalogRunner,
  request: PostgresRequest,
  statement: CatalogStatement,
  bound: BoundValues,
  waiting: Waiting,
): Promise<Answer> {
  const { position } = statement;
  const batch = Buffer.concat([parseOf(statement), executionOf(bound), SYNC]);
  const result = await catalog.run(viewFor(request, statement), batch, waiting);
  let description: Buffer | null = null;
  let tag = 'SELECT 0';
  const rows: Buffer[] = [];
  for (const message of replyMessages(result, position)) {
    if (message[0] === letter('T')) description = message;
    if (message[0] === letter('D')) rows.push(message);
    if (message[0] === letter('C')) tag = message.toString('utf8', 5, message.length - 1);
  }
  return {
    description,
    notice: null,
    rows: inTurn(rows),
    tag: () => tag,
    over: (error, rowCount) => request.ended(error, rowCount),
  };
}

/** The parameters and rows of a statement as Postgres describes them; rows null = it returns none. */
export async function catalogDescription(
  catalog: CatalogRunner,
  request: PostgresRequest,
  statement: CatalogStatement,
  waiting: Waiting,
): Promise<{ readonly typeIds: readonly number[]; readonly rows: Buffer | null }> {
  const { position } = statement;
  const describe = message('D', Buffer.from('S'), zeroEnded(''));
  const batch = Buffer.concat([parseOf(statement), describe, SYNC]);
  const result = await catalog.run(viewFor(request, statement), batch, waiting);
  let typeIds: readonly number[] = [];
  let rows: Buffer | null = null;
  for (const message of replyMessages(result, position)) {
    if (message[0] === letter('T')) rows = message;
    if (message[0] === letter('t')) typeIds = typeIdsIn(message);
  }
  request.ended(null, 0);
  return { typeIds, rows };
}

function viewFor({ context }: PostgresRequest, { text, userName, sessions }: CatalogStatement): CatalogView {
  const isRead = /pg_stat_activity/i.test(text);
  return catalogViewOf(
    context,
    userName,
    isRead ? JSON.stringify(sessions().map((session) => session.row())) : '',
  );
}

/** The type numbers in a ParameterDescription. */
const typeIdsIn = (message: Buffer): readonly number[] =>
  Array.from({ length: message.readUInt16BE(5) }, (_, at) => message.readUInt32BE(7 + at * 4));

/** The messages of a reply. Throws the first ErrorResponse as ProtocolError. */
function* replyMessages(bytes: Buffer, position: number): Generator<Buffer> {
  for (const message of messagesIn(bytes)) {
    if (message[0] === letter('E')) throw errorIn(message, position);
    yield message;
  }
}

async function* inTurn(rows: readonly Buffer[]): AsyncGenerator<Buffer, void, void> {
  if (rows.length > 0) yield Buffer.concat(rows);
}

function errorIn(message: Buffer, position: number): ProtocolError {
  const fields = new Map<string, string>();
  for (const field of message.toString('utf8', 5).split('\0')) {
    if (field !== '') fields.set(field[0], field.slice(1));
  }
  const own = fields.get('P');
  return new ProtocolError(
    fields.get('C') ?? 'XX000',
    fields.get('M') ?? 'the catalog gave no reason',
    fields.get('H') ?? null,
    own === undefined ? null : Number(own) + position - 1,
  );
}

/** A Parse message of the unnamed statement. */
const parseOf = ({ text, typeIds }: CatalogStatement): Buffer =>
  message('P', zeroEnded(''), zeroEnded(text), int16s(typeIds.length), ...typeIds.map(int32));

/** Bind, Describe and Execute messages of the unnamed statement. */
function executionOf({ values, parameterFormats, formats }: BoundValues): Buffer {
  return Buffer.concat([
    message(
      'B',
      zeroEnded(''),
      zeroEnded(''),
      int16s(parameterFormats.length, ...parameterFormats),
      int16s(values.length),
      ...values.flatMap((value) => (value === null ? [int32(-1)] : [int32(value.length), value])),
      int16s(formats.length, ...formats),
    ),
    message('D', Buffer.from('P'), zeroEnded('')),
    message('E', zeroEnded(''), int32(0)),
  ]);
}

const zeroEnded = (text: string): Buffer => Buffer.from(`${text}\0`, 'utf8');

function int16s(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 2);
  values.forEach((value, at) => {
    bytes.writeUInt16BE(value & 0xffff, at * 2);
  });
  return bytes;
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value | 0);
  return bytes;
}

function message(kind: string, ...parts: readonly Uint8Array[]): Buffer {
  const byteCount = parts.reduce((sum, part) => sum + part.length, 4);
  return Buffer.concat([Buffer.from(kind, 'latin1'), int32(byteCount), ...parts]);
}

const SYNC = message('S');
