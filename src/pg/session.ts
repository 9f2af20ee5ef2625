/**
 * One client that was let in, and what each of its messages does.
 * Invariants: messages are taken one behind the other; behind an error of the extended protocol all is passed over up to
 * Sync; every message Query and Sync ends with one ReadyForQuery; a statement runs once per Execute from the beginning of its
 * portal; portals live until Sync, or in a transaction until its end.
 */
import * as sql from '../sql/index.js';
import { type Answer, rowsWithin } from './answer.js';
import { formatsFor } from './binary.js';
import { ClientGone, fieldsOf, ProtocolFault, withText, withTextLater } from './fault.js';
import type { Figures } from './figures.js';
import type { Frame } from './frames.js';
import { Kept } from './kept.js';
import type { MessageReader } from './message-reader.js';
import * as messages from './messages.js';
import { leavePortal, newPortal, newPrepared, nextRows, type Portal, type Prepared } from './portal.js';
import type { SessionState } from './session-statement.js';
import type { Settings } from './settings.js';
import { type AnswerNeeds, type Described, hasEffectAlone, StatementAnswers } from './statement-answers.js';
import { TYPE } from './types.js';
import type { Waiting } from './waiting.js';

export interface SessionNeeds extends AnswerNeeds {
  readonly figures: Figures;
  readonly settings: Settings;
  readonly databaseName: string;
  readonly userName: string;
  readonly processId: number;
  /** Resolves when more may be sent; rejects when the client is gone. */
  readonly send: (bytes: Uint8Array) => Promise<void>;
}

const ROWS_AT_ONCE = 2 ** 18;
/** SQLSTATE query_canceled. */
const STOPPED = '57014';
const kindOf = (letter: string): number => letter.charCodeAt(0);

export class Session implements SessionState {
  readonly settings: Settings;
  readonly databaseName: string;
  readonly userName: string;
  readonly processId: number;
  transaction: messages.TransactionState = 'I';
  readonly #needs: SessionNeeds;
  readonly #answers: StatementAnswers;
  readonly #kept = new Kept();
  /** An error came, and Sync did not. */
  #passesOver = false;
  /** Of the statement that runs. */
  #waiting: Waiting | null = null;
  #pending: Buffer[] = [];

  constructor(needs: SessionNeeds) {
    this.#needs = needs;
    this.settings = needs.settings;
    this.databaseName = needs.databaseName;
    this.userName = needs.userName;
    this.processId = needs.processId;
    this.#answers = new StatementAnswers(needs, this);
  }

  /** Stops what runs; the client is told so. */
  cancel(): void {
    this.#waiting?.cancel();
  }

  /** The client is gone, or is to go. */
  leave(): void {
    this.cancel();
    this.closePortals();
  }

  deallocate(name: string | null): void {
    this.#kept.deallocate(name);
  }

  closePortals(): void {
    this.#kept.closePortals();
  }

  endTransaction(): void {
    this.closePortals();
    this.settings.endTransaction();
  }

  /** Does what one message asks. Rejects with ProtocolFault for one that ends the connection, and when the client is gone. */
  async take({ kind, body }: Frame): Promise<void> {
    if (kind === kindOf('Q')) {
      this.#passesOver = false;
      await this.#query(body.text());
      await this.#ready();
    } else if (kind === kindOf('S')) {
      this.#passesOver = false;
      if (this.transaction === 'I') this.endTransaction();
      await this.#ready();
    } else if (kind === kindOf('H')) await this.#flush();
    else if (!this.#passesOver) await this.#extended(kind, body);
  }

  async #extended(kind: number, body: MessageReader): Promise<void> {
    try {
      if (kind === kindOf('P')) this.#parse(body);
      else if (kind === kindOf('B')) this.#bind(body);
      else if (kind === kindOf('D')) await this.#describe(body);
      else if (kind === kindOf('E')) await this.#execute(body);
      else if (kind === kindOf('C')) this.#close(body);
      else throw unknownMessage(kind);
    } catch (error) {
      this.#passesOver = true;
      await this.#refuse(error, null);
    }
  }

  // The simple protocol

  async #query(text: string): Promise<void> {
    let statements: readonly sql.PostgresStatement[];
    try {
      statements = sql.readPostgres(text);
    } catch (error) {
      await this.#refuse(error, text);
      return;
    }
    if (statements.length === 0) this.#put(messages.emptyQuery());
    for (const statement of statements) {
      try {
        if (statement.parameterCount > 0)
          throw new ProtocolFault('42P02', 'there are no parameters in a simple query');
        await this.#run(statement, text);
      } catch (error) {
        await this.#refuse(error, text);
        return;
      }
    }
    if (this.transaction === 'I') this.endTransaction();
  }

  async #run(statement: sql.PostgresStatement, text: string): Promise<void> {
    const prepared = newPrepared(text, statement, []);
    const portal = newPortal(prepared, [], [], []);
    try {
      await this.#inTime(portal, async () => {
        const answer = await this.#opened(portal);
        if (answer.description !== null) this.#put(answer.description);
        await this.#sendRows(portal, 0);
      });
    } finally {
      leavePortal(portal);
    }
  }

  // The extended protocol

  #parse(body: MessageReader): void {
    const name = body.text();
    const text = body.text();
    const typeIds = Array.from({ length: body.count() }, () => body.int32() >>> 0);
    body.expectEnd();
    const statements = withText(text, () => sql.readPostgres(text));
    if (statements.length > 1) {
      throw new ProtocolFault('42601', 'a prepared statement is one statement; several go in a simple query');
    }
    const [statement = null] = statements;
    const count = Math.max(typeIds.length, statement?.parameterCount ?? 0);
    const filled = Array.from({ length: count }, (_, at) => typeIds[at] ?? 0);
    this.#kept.addPrepared(name, newPrepared(text, statement, filled));
    this.#put(messages.parseComplete());
  }

  #bind(body: MessageReader): void {
    const name = body.text();
    const prepared = this.#kept.prepared(body.text());
    const given = Array.from({ length: body.count() }, () => body.int16());
    const values = Array.from({ length: body.count() }, () => {
      const byteCount = body.int32();
      return byteCount === -1 ? null : body.take(byteCount);
    });
    const formats = Array.from({ length: body.count() }, () => body.int16());
    body.expectEnd();
    if (values.length !== prepared.typeIds.length) {
      const wanted = `${prepared.typeIds.length} parameters are wanted`;
      throw new ProtocolFault('08P01', `${wanted}, ${values.length} are given`);
    }
    this.#kept.addPortal(name, newPortal(prepared, values, formatsFor(given, values.length), formats));
    this.#put(messages.bindComplete());
  }

  async #describe(body: MessageReader): Promise<void> {
    const what = String.fromCharCode(body.byte());
    const name = body.text();
    body.expectEnd();
    if (what === 'P') {
      const portal = this.#kept.portal(name);
      const { statement } = portal.prepared;
      if (statement === null || hasEffectAlone(statement)) this.#put(messages.noData());
      else {
        const { description } = await this.#inTime(portal, () => this.#opened(portal));
        this.#put(description ?? messages.noData());
      }
      return;
    }
    if (what !== 'S')
      throw new ProtocolFault('08P01', 'statements (S) and portals (P) are described, nothing else');
    const prepared = this.#kept.prepared(name);
    const described = await withTextLater(prepared.text, () => this.#description(prepared));
    this.#put(messages.parameterDescription(described.typeIds));
    this.#put(described.rows ?? messages.noData());
  }

  /** What a statement would take and give, whatever its parameters are. */
  async #description(prepared: Prepared): Promise<Described> {
    const { statement } = prepared;
    // What is of no known type is text, in which values of all types are taken.
    const typeIds = prepared.typeIds.map((id) => (id === 0 ? TYPE.text : id));
    if (statement === null || hasEffectAlone(statement)) return { typeIds, rows: null };
    const values = typeIds.map(() => null);
    const portal = newPortal(prepared, values, formatsFor([], values.length), []);
    try {
      return await this.#inTime(portal, async () => {
        const known = await this.#answers.describe(statement, portal);
        return known ?? { typeIds, rows: (await this.#opened(portal)).description };
      });
    } finally {
      leavePortal(portal);
    }
  }

  async #execute(body: MessageReader): Promise<void> {
    const portal = this.#kept.portal(body.text());
    const rowsMax = body.int32();
    body.expectEnd();
    if (portal.prepared.statement === null) {
      this.#put(messages.emptyQuery());
      return;
    }
    await this.#inTime(portal, async () => {
      await this.#opened(portal);
      await this.#sendRows(portal, Math.max(0, rowsMax));
    });
  }

  #close(body: MessageReader): void {
    const what = String.fromCharCode(body.byte());
    const name = body.text();
    body.expectEnd();
    if (what === 'S') this.deallocate(name);
    else this.#kept.closePortal(name);
    this.#put(messages.closeComplete());
  }

  // Answers

  /** The portal's answer, begun if it was not. */
  async #opened(portal: Portal): Promise<Answer> {
    if (portal.answer !== null) return portal.answer;
    const { statement, text } = portal.prepared;
    if (statement === null) throw new ProtocolFault('XX000', 'an empty query has no answer');
    portal.answer = await withTextLater(text, () => this.#answers.answer(statement, portal));
    return portal.answer;
  }

  /** Does for the portal what `act` does, which a cancel request may stop, and the time that the client set. */
  async #inTime<T>({ waiting }: Portal, act: () => Promise<T>): Promise<T> {
    this.#waiting = waiting;
    const msMax = this.settings.statementMsMax;
    const timer = msMax === 0 ? null : setTimeout(() => waiting.cancel(true), msMax);
    try {
      return await act();
    } catch (error) {
      throw stoppedBy(waiting, error);
    } finally {
      if (timer !== null) clearTimeout(timer);
      this.#waiting = null;
    }
  }

  /** Sends rows, `rowsMax` at most (0 = all), and what ends them. */
  async #sendRows(portal: Portal, rowsMax: number): Promise<void> {
    const { answer } = portal;
    if (answer === null || portal.isOver) {
      this.#put(messages.commandComplete(answer?.tag(0) ?? 'SELECT 0'));
      return;
    }
    let wanted = rowsMax === 0 ? Number.POSITIVE_INFINITY : rowsMax;
    for (;;) {
      if (portal.left.length === 0 && !(await nextRows(portal, answer))) break;
      const { rowCount, end } = rowsWithin(portal.left, Math.min(wanted, ROWS_AT_ONCE));
      const rows = portal.left.subarray(0, end);
      portal.left = portal.left.subarray(end);
      portal.rowCount += rowCount;
      wanted -= rowCount;
      this.#put(rows);
      await this.#flush();
      if (wanted === 0) {
        this.#put(messages.portalSuspended());
        return;
      }
    }
    portal.isOver = true;
    if (answer.notice !== null) this.#put(answer.notice);
    answer.over(null, portal.rowCount);
    this.#needs.figures.statementAnswered();
    this.#put(messages.commandComplete(answer.tag(portal.rowCount)));
  }

  // What is sent

  async #refuse(error: unknown, text: string | null): Promise<void> {
    if (error instanceof ClientGone) throw error;
    const fields = fieldsOf(error, text);
    if (this.transaction === 'T') this.transaction = 'E';
    this.#needs.figures.statementRefused(fields.state);
    this.#put(messages.errorResponse(fields));
    await this.#flush();
  }

  async #ready(): Promise<void> {
    this.#put(messages.readyForQuery(this.transaction));
    await this.#flush();
  }

  #put(bytes: Buffer): void {
    this.#pending.push(bytes);
  }

  async #flush(): Promise<void> {
    const pending = this.#pending;
    if (pending.length === 0) return;
    this.#pending = [];
    await this.#needs.send(pending.length === 1 ? pending[0] : Buffer.concat(pending));
  }
}

/** What `error` is told as, when it came because nobody waits any more. */
function stoppedBy({ isCancelled, isLate }: Waiting, error: unknown): unknown {
  if (!isCancelled || error instanceof ClientGone || fieldsOf(error, null).state !== STOPPED) return error;
  const why = isLate ? 'canceling statement due to statement timeout' : 'the query was stopped';
  return new ProtocolFault(STOPPED, why);
}

function unknownMessage(kind: number): ProtocolFault {
  const letter = JSON.stringify(String.fromCharCode(kind));
  return new ProtocolFault('08P01', `a message of kind ${letter} is not taken here`);
}
