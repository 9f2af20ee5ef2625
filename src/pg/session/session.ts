/**
 * The session of an authenticated client; handles its messages.
 * Invariants: messages are handled one at a time; after an error in the extended protocol, messages are skipped up to Sync; each
 * Query and each Sync ends with one ReadyForQuery; the first Execute of a portal runs its statement, later ones continue it;
 * portals live until Sync, or in a transaction until its end.
 */
import * as sql from '../../sql/index.js';
import type { Activity } from '../activity/activity.js';
import type { PostgresCounters } from '../counters.js';
import { formatsFor } from '../protocol/binary.js';
import { ClientGone, errorFieldsOf, ProtocolError, withText, withTextLater } from '../protocol/errors.js';
import type { Frame } from '../protocol/frames.js';
import type { MessageReader } from '../protocol/message-reader.js';
import * as messages from '../protocol/messages.js';
import { TYPE } from '../protocol/types.js';
import { type Answer, rowsWithin } from './answer.js';
import type { CopyIn } from './copy-in.js';
import { Cursors } from './cursors.js';
import {
  leavePortal,
  newPortal,
  newPrepared,
  nextRows,
  type Portal,
  type PreparedStatement,
} from './portal.js';
import type { SessionState } from './session-statement.js';
import { SessionTables } from './session-tables.js';
import type { Settings } from './settings.js';
import {
  hasOnlyEffect,
  StatementAnswers,
  type StatementDependencies,
  type StatementDescription,
} from './statement-answers.js';
import { StatementRegistry } from './statement-registry.js';
import { TransactionWrites } from './transaction-writes.js';
import type { Waiting } from './waiting.js';

export interface SessionDependencies extends StatementDependencies {
  readonly counters: PostgresCounters;
  readonly settings: Settings;
  readonly databaseName: string;
  readonly userName: string;
  readonly processId: number;
  readonly activity: Activity;
  /** Resolves when more may be sent. Rejects with ClientGone. */
  readonly send: (bytes: Uint8Array) => Promise<void>;
}

const ROWS_PER_BATCH = 2 ** 18;
/** SQLSTATE query_canceled. */
const STOPPED = '57014';
const kindOf = (letter: string): number => letter.charCodeAt(0);

export class Session implements SessionState {
  readonly settings: Settings;
  readonly databaseName: string;
  readonly userName: string;
  readonly processId: number;
  transaction: messages.TransactionState = 'I';
  readonly #dependencies: SessionDependencies;
  readonly #answers: StatementAnswers;
  readonly cursors = new Cursors();
  readonly writes: TransactionWrites;
  readonly tables = new SessionTables();
  /** The COPY whose rows the client sends. */
  #copy: CopyIn | null = null;
  /** Called when a message waits for the rows of a COPY. */
  #copyBegins = (): void => {};
  /** The message that waits for the rows of a COPY. */
  #unfinished: Promise<void> | null = null;
  readonly #registry = new StatementRegistry();
  /** Several statements came in one message. */
  #isImplicitBlock = false;
  /** An error occurred, and Sync has not arrived yet. */
  #skipsToSync = false;
  /** Cancels the running statement. */
  #waiting: Waiting | null = null;
  #pending: Buffer[] = [];

  constructor(dependencies: SessionDependencies) {
    this.#dependencies = dependencies;
    this.settings = dependencies.settings;
    this.writes = new TransactionWrites(dependencies.engine);
    this.databaseName = dependencies.databaseName;
    this.userName = dependencies.userName;
    this.processId = dependencies.processId;
    this.#answers = new StatementAnswers(dependencies, this);
  }

  /** Cancels the running statement, which then fails with 57014. */
  cancel(): void {
    this.#waiting?.cancel();
  }

  /** Ends the session: the client has disconnected or is being disconnected. */
  leave(): void {
    this.cancel();
    this.#copy?.fail(new ClientGone());
    this.writes.drop();
    this.closePortals();
    this.cursors.close(null);
    this.tables.dropAll();
  }

  get isInBlock(): boolean {
    return this.transaction !== 'I' || this.#isImplicitBlock;
  }

  deallocate(name: string | null): void {
    this.#registry.deallocate(name);
  }

  closePortals(): void {
    this.#registry.closePortals();
  }

  endTransaction(isCommitted = true): void {
    this.closePortals();
    this.writes.drop();
    this.cursors.endTransaction(isCommitted);
    this.tables.endTransaction(isCommitted);
    this.settings.endTransaction();
  }

  /** Handles one message. Rejects with ProtocolError if the connection must end, and with ClientGone. */
  async handle(frame: Frame): Promise<void> {
    if (this.#unfinished === null) return this.#untilCopy(this.#message(frame));
    return this.#copyMessage(frame, this.#unfinished);
  }

  /** Resolves when `message` has been handled, or waits for the rows of a COPY. */
  async #untilCopy(message: Promise<void>): Promise<void> {
    const copying = new Promise<void>((resolve) => {
      this.#copyBegins = resolve;
    });
    this.#unfinished = message;
    const handled = message.finally(() => {
      this.#unfinished = null;
    });
    handled.catch(() => {});
    await Promise.race([handled, copying]);
  }

  beginCopy(copy: CopyIn): void {
    this.#copy = copy;
    this.#copyBegins();
  }

  endCopy(): void {
    this.#copy = null;
  }

  /** Handles a message while `unfinished` waits for the rows of a COPY. Flush and Sync have no effect then. */
  async #copyMessage(frame: Frame, unfinished: Promise<void>): Promise<void> {
    const { kind, body } = frame;
    if (kind === kindOf('d')) {
      this.#copy?.data(body.bytes);
      // The error of a row is sent at once.
      await this.#whenSettled();
      return;
    }
    if (kind === kindOf('S') || kind === kindOf('H')) return;
    if (kind === kindOf('c')) this.#copy?.done();
    else if (kind === kindOf('f')) {
      this.#copy?.fail(new ProtocolError('57014', `COPY from stdin failed: ${body.text()}`));
    } else this.#copy?.fail(new ProtocolError('08P01', 'unexpected message during COPY from stdin'));
    await this.#untilCopy(unfinished);
    if (![kindOf('c'), kindOf('f')].includes(kind)) await this.handle(frame);
  }

  /** Waits for the end of a COPY that has failed. */
  async #whenSettled(): Promise<void> {
    if (this.#copy?.isOver === true && this.#unfinished !== null) await this.#untilCopy(this.#unfinished);
  }

  async #message({ kind, body }: Frame): Promise<void> {
    // A client may still send rows of a COPY that has failed.
    if ([kindOf('d'), kindOf('c'), kindOf('f')].includes(kind)) return;
    if (kind === kindOf('Q')) {
      this.#skipsToSync = false;
      await this.#query(body.text());
      await this.#ready();
    } else if (kind === kindOf('S')) {
      this.#skipsToSync = false;
      if (this.transaction === 'I') this.endTransaction();
      await this.#ready();
    } else if (kind === kindOf('H')) await this.#flush();
    else if (!this.#skipsToSync) await this.#extended(kind, body);
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
      this.#skipsToSync = true;
      await this.#refuse(error, null);
    }
  }

  // The simple protocol

  async #query(text: string): Promise<void> {
    let statements: readonly sql.PostgresStatement[];
    try {
      statements = this.#statementsIn(text);
    } catch (error) {
      await this.#refuse(error, text);
      return;
    }
    if (statements.length === 0) this.#put(messages.emptyQuery());
    this.#isImplicitBlock = statements.length > 1;
    try {
      await this.#runAll(statements, text);
    } finally {
      this.#isImplicitBlock = false;
    }
  }

  #statementsIn(text: string): readonly sql.PostgresStatement[] {
    return sql.readPostgres(text).map((statement) => sql.inDatabase(statement, this.databaseName));
  }

  async #runAll(statements: readonly sql.PostgresStatement[], text: string): Promise<void> {
    for (const statement of statements) {
      try {
        if (statement.parameterCount > 0)
          throw new ProtocolError('42P02', 'a simple query cannot have parameters');
        await this.#run(statement, text);
      } catch (error) {
        await this.#refuse(error, text);
        if (this.transaction === 'I') this.endTransaction(false);
        return;
      }
    }
    if (this.transaction !== 'I') return;
    try {
      if (!this.writes.isEmpty) await this.#answers.commitWrites(text);
      this.endTransaction();
    } catch (error) {
      this.endTransaction(false);
      await this.#refuse(error, text);
    }
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
    const statements = withText(text, () => this.#statementsIn(text));
    if (statements.length > 1) {
      throw new ProtocolError(
        '42601',
        'a prepared statement must be a single statement; use a simple query for several',
      );
    }
    const [statement = null] = statements;
    const count = Math.max(typeIds.length, statement?.parameterCount ?? 0);
    const filled = Array.from({ length: count }, (_, at) => typeIds[at] ?? 0);
    this.#registry.addPrepared(name, newPrepared(text, statement, filled));
    this.#put(messages.parseComplete());
  }

  #bind(body: MessageReader): void {
    const name = body.text();
    const prepared = this.#registry.prepared(body.text());
    const formatCodes = Array.from({ length: body.count() }, () => body.int16());
    const values = Array.from({ length: body.count() }, () => {
      const byteCount = body.int32();
      return byteCount === -1 ? null : body.take(byteCount);
    });
    const formats = Array.from({ length: body.count() }, () => body.int16());
    body.expectEnd();
    if (values.length !== prepared.typeIds.length) {
      const required = `the prepared statement requires ${prepared.typeIds.length} parameters`;
      throw new ProtocolError('08P01', `${required}, but the message has ${values.length}`);
    }
    this.#registry.addPortal(
      name,
      newPortal(prepared, values, formatsFor(formatCodes, values.length), formats),
    );
    this.#put(messages.bindComplete());
  }

  async #describe(body: MessageReader): Promise<void> {
    const target = String.fromCharCode(body.byte());
    const name = body.text();
    body.expectEnd();
    if (target === 'P') {
      const portal = this.#registry.portal(name);
      const { statement } = portal.prepared;
      if (statement === null) this.#put(messages.noData());
      else if (hasOnlyEffect(statement)) {
        const returned = withText(portal.prepared.text, () =>
          this.#answers.describeReturning(statement, portal),
        );
        this.#put(returned ?? messages.noData());
      } else {
        const { description } = await this.#inTime(portal, () => this.#opened(portal));
        this.#put(description ?? messages.noData());
      }
      return;
    }
    if (target !== 'S') throw new ProtocolError('08P01', 'Describe requires a statement (S) or a portal (P)');
    const prepared = this.#registry.prepared(name);
    const described = await withTextLater(prepared.text, () => this.#description(prepared));
    this.#put(messages.parameterDescription(described.typeIds));
    this.#put(described.rows ?? messages.noData());
  }

  /** The parameters and rows of a statement whose parameter values are unknown. */
  async #description(prepared: PreparedStatement): Promise<StatementDescription> {
    const { statement } = prepared;
    // Parameters of unknown type are described as text, which accepts values of every type.
    const typeIds = prepared.typeIds.map((id) => (id === 0 ? TYPE.text : id));
    if (statement === null) return { typeIds, rows: null };
    const values = typeIds.map(() => null);
    const portal = newPortal(prepared, values, formatsFor([], values.length), []);
    if (hasOnlyEffect(statement)) {
      return { typeIds, rows: this.#answers.describeReturning(statement, portal) };
    }
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
    const portal = this.#registry.portal(body.text());
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
    const target = String.fromCharCode(body.byte());
    const name = body.text();
    body.expectEnd();
    if (target === 'S') this.deallocate(name);
    else this.#registry.closePortal(name);
    this.#put(messages.closeComplete());
  }

  // Answers

  /** The portal's answer; starts it if necessary. */
  async #opened(portal: Portal): Promise<Answer> {
    if (portal.answer !== null) return portal.answer;
    const { statement, text } = portal.prepared;
    if (statement === null) throw new ProtocolError('XX000', 'an empty query has no answer');
    portal.answer = await withTextLater(text, () => this.#answers.answer(statement, portal));
    return portal.answer;
  }

  /** Runs `act` for a portal; a cancel request or the session's statement_timeout cancels it. */
  async #inTime<T>({ waiting, prepared }: Portal, act: () => Promise<T>): Promise<T> {
    const { activity } = this.#dependencies;
    activity.begin(prepared.text);
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
      activity.end();
    }
  }

  /** Sends at most `rowsMax` rows (0 = all), then PortalSuspended or CommandComplete. */
  async #sendRows(portal: Portal, rowsMax: number): Promise<void> {
    const { answer } = portal;
    if (answer === null || portal.isOver) {
      this.#put(messages.commandComplete(answer?.tag(0) ?? 'SELECT 0'));
      return;
    }
    let wanted = rowsMax === 0 ? Number.POSITIVE_INFINITY : rowsMax;
    for (;;) {
      if (portal.unsentRows.length === 0 && !(await nextRows(portal, answer))) break;
      const { rowCount, end } = rowsWithin(portal.unsentRows, Math.min(wanted, ROWS_PER_BATCH));
      const rows = portal.unsentRows.subarray(0, end);
      portal.unsentRows = portal.unsentRows.subarray(end);
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
    this.#dependencies.counters.statementAnswered();
    this.#put(messages.commandComplete(answer.tag(portal.rowCount)));
  }

  // Output

  async #refuse(error: unknown, text: string | null): Promise<void> {
    if (error instanceof ClientGone) throw error;
    const fields = errorFieldsOf(error, text);
    if (this.transaction === 'T') this.transaction = 'E';
    this.#dependencies.counters.statementRefused(fields.state);
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
    await this.#dependencies.send(pending.length === 1 ? pending[0] : Buffer.concat(pending));
  }
}

/** The error to send for `error`, which may be the effect of a cancellation. */
function stoppedBy({ isCancelled, isLate }: Waiting, error: unknown): unknown {
  if (!isCancelled || error instanceof ClientGone || errorFieldsOf(error, null).state !== STOPPED)
    return error;
  const why = isLate ? 'canceling statement due to statement timeout' : 'the query was stopped';
  return new ProtocolError(STOPPED, why);
}

function unknownMessage(kind: number): ProtocolError {
  const letter = JSON.stringify(String.fromCharCode(kind));
  return new ProtocolError('08P01', `unexpected message of kind ${letter}`);
}
