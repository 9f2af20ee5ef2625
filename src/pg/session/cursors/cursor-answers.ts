/** Answers DECLARE, FETCH, MOVE and CLOSE. */
import type { PostgresStatement } from '../../../sql/index.js';
import { formatsFor, rowsInFormats } from '../../protocol/binary.js';
import { ProtocolError } from '../../protocol/errors.js';
import { BINARY, fieldsIn, messagesIn, rowDescription } from '../../protocol/messages.js';
import { type Answer, done } from '../answer.js';
import type { ReserveMemory } from '../growing-reservation.js';
import { newPortal, newPrepared, type Portal } from '../portal.js';
import type { SessionState } from '../session-statement.js';
import { Cursor } from './cursor.js';
import { nameIn, readDeclare, readFetch } from './cursor-statement.js';

/** Opens the query of a cursor. */
type Open = (statement: PostgresStatement, portal: Portal) => Promise<Answer>;

/** Opens the query at once, so that DECLARE returns its errors and it reads the current version of the data. */
export async function answerDeclare(
  statement: PostgresStatement,
  { prepared, values, parameterFormats }: Portal,
  state: SessionState,
  open: Open,
  reserve: ReserveMemory,
): Promise<Answer> {
  const { name, query, isBinary, isScroll, withHold } = readDeclare(statement, prepared.text);
  if (!withHold && !state.isInBlock) {
    throw new ProtocolError('25P01', 'DECLARE CURSOR can only be used in transaction blocks');
  }
  state.cursors.checkNew(name);
  const inner = newPrepared(prepared.text, query, prepared.typeIds);
  const portal = newPortal(inner, values, parameterFormats, []);
  portal.answer = await open(query, portal);
  if (portal.answer.description === null) {
    throw new ProtocolError('42601', 'a cursor requires a query that returns rows');
  }
  state.cursors.add(name, new Cursor(portal, { withHold, isBinary, reserve: isScroll ? reserve : null }));
  return done('DECLARE CURSOR');
}

/** The rows are read while the answer is read. Throws 34000. */
export function answerFetch(
  statement: PostgresStatement,
  { formats, waiting }: Portal,
  { cursors }: SessionState,
): Answer {
  const { name, fetch } = readFetch(statement);
  const cursor = cursors.get(name);
  if (statement.tokens[0].upper === 'MOVE') return moved(cursor.fetch(fetch, waiting));
  const fields = fieldsIn(cursor.portal.answer?.description ?? Buffer.alloc(0));
  const wanted = formatsFor(cursor.isBinary && formats.length === 0 ? [BINARY] : formats, fields.length);
  const typeIds = fields.map(({ typeId }) => typeId);
  const converted = async function* (): AsyncGenerator<Buffer, void, void> {
    for await (const rows of cursor.fetch(fetch, waiting)) yield rowsInFormats(rows, typeIds, wanted);
  };
  return {
    ...done('FETCH'),
    description: rowDescription(fields, wanted),
    rows: converted(),
    tag: (rowCount) => `FETCH ${rowCount}`,
  };
}

function moved(rows: AsyncGenerator<Buffer, void, void>): Answer {
  let rowCount = 0;
  const next = async (): Promise<IteratorReturnResult<void>> => {
    for await (const part of rows) for (const _row of messagesIn(part)) rowCount++;
    return { done: true, value: undefined };
  };
  return { ...done('MOVE'), rows: { next }, tag: () => `MOVE ${rowCount}` };
}

/** CLOSE name, CLOSE ALL. Throws 34000. */
export function answerClose({ tokens }: PostgresStatement, { cursors }: SessionState): Answer {
  const isAll = tokens[1]?.upper === 'ALL';
  cursors.close(isAll ? null : nameIn(tokens[1], 'CLOSE'));
  return done(isAll ? 'CLOSE CURSOR ALL' : 'CLOSE CURSOR');
}
