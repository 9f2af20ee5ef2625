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
import { readBind, readParse, readTarget } from '../protocol/extended-messages.js';
import type { Frame } from '../protocol/frames.js';
import type { MessageReader } from '../protocol/message-reader.js';
import * as messages from '../protocol/messages.js';
import { TYPE } from '../protocol/types.js';
import type { Answer } from './answer.js';
import type { CopyIn } from './copy/copy-in.js';
import { CopyMessages } from './copy/copy-messages.js';
import { Cursors } from './cursors/cursors.js';
import { SessionOutput } from './output.js';
import { leavePortal, newPortal, newPrepared, type Portal, type PreparedStatement } from './portal.js';
import type { StatementDescription } from './queries/catalog-answers.js';
import type { SessionState } from './session-statement.js';
import { SessionTables } from './session-tables.js';
import type { Settings } from './settings.js';
import { hasOnlyEffect, StatementAnswers, type StatementDependencies } from './statement-answers.js';
import { StatementRegistry } from './statement-registry.js';
import { TransactionVersion } from './transaction-mode.js';
import type { Waiting } from './waiting.js';
import { TransactionWrites } from './writes/transaction-writes.js';

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

const SIMPLE_ONLY = 'EXECUTE is a simple query; in the extended protocol, bind the prepared statement';
/** SQLSTATE query_canceled. */
const STOPPED = '57014';
/** SQLSTATE character_not_in_repertoire. */
const NOT_UTF8 = '22021';
const kindOf = (letter: string): number => letter.charCodeAt(0);

export class Session implements SessionState {
  readonly settings: Settings;
  readonly databaseName: string;
  readonly userName: string;
  readonly processId: number;
  transaction: messages.TransactionState = 'I';
  readonly #dependencies: SessionDependencies;
  readonly #answers: StatementAnswers;
  readonly #output: SessionOutput;
  readonly cursors = new Cursors();
  readonly writes: TransactionWrites;
  readonly tables = new SessionTables();
  readonly version = new TransactionVersion();
  readonly #copying = new CopyMessages((frame) => this.#message(frame));
  readonly #registry: StatementRegistry;
  /** Several statements came in one message. */
  #isImplicitBlock = false;
  /** An error occurred, and Sync has not arrived yet. */
  #skipsToSync = false;
  /** Cancels the running statement. */
  #waiting: Waiting | null = null;

  constructor(dependencies: SessionDependencies) {
    this.#dependencies = dependencies;
    this.settings = dependencies.settings;
    this.writes = new TransactionWrites(dependencies.engine);
    this.#registry = new StatementRegistry((bytes) => dependencies.engine.holdMemory(bytes));
    this.databaseName = dependencies.databaseName;
    this.userName = dependencies.userName;
    this.processId = dependencies.processId;
    this.#answers = new StatementAnswers(dependencies, this);
    this.#output = new SessionOutput(dependencies.send, () => dependencies.counters.statementAnswered());
  }

  /** Cancels the running statement, which then fails with 57014. */
  cancel(): void {
    this.#waiting?.cancel();
  }

  /** Ends the session: the client has disconnected or is being disconnected. */
  leave(): void {
    this.cancel();
    this.#copying.fail(new ClientGone());
    this.writes.drop();
    this.#registry.close();
    this.cursors.close(null);
    this.tables.dropAll();
    this.tables.endTransaction(true);
  }

  get isInBlock(): boolean {
    return this.transaction !== 'I' || this.#isImplicitBlock;
  }

  prepared(name: string): PreparedStatement {
    return this.#registry.prepared(name);
  }

  prepare(name: string, prepared: PreparedStatement): void {
    this.#registry.addPrepared(name, prepared);
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
    this.version.end();
  }

  /** Handles one message. Rejects with ProtocolError if the connection must end, and with ClientGone. */
  async handle(frame: Frame): Promise<void> {
    return this.#copying.handle(frame);
  }

  beginCopy(copy: CopyIn): void {
    this.#copying.begin(copy);
  }

  endCopy(): void {
    this.#copying.end();
  }

  async #message({ kind, body }: Frame): Promise<void> {
    // A client may still send rows of a COPY that has failed.
    if ([kindOf('d'), kindOf('c'), kindOf('f')].includes(kind)) return;
    if (kind === kindOf('Q')) {
      this.#skipsToSync = false;
      await this.#queryOf(body);
      await this.#ready();
    } else if (kind === kindOf('S')) {
      this.#skipsToSync = false;
      if (this.transaction === 'I') this.endTransaction();
      await this.#ready();
    } else if (kind === kindOf('H')) await this.#output.flush();
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
      await this.#output.flushLong();
    } catch (error) {
      this.#skipsToSync = true;
      await this.#refuse(error, null);
    }
  }

  // The simple protocol

  async #queryOf(body: MessageReader): Promise<void> {
    let text: string;
    try {
      text = body.text();
    } catch (error) {
      if (!isOfText(error)) throw error;
      return this.#refuse(error, null);
    }
    await this.#query(text);
  }

  async #query(text: string): Promise<void> {
    let statements: readonly sql.PostgresStatement[];
    try {
      statements = this.#statementsIn(text);
    } catch (error) {
      await this.#refuse(error, text);
      return;
    }
    if (statements.length === 0) this.#output.put(messages.emptyQuery());
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
        if (answer.description !== null) this.#output.put(answer.description);
        await this.#output.sendRows(portal, 0);
      });
    } finally {
      leavePortal(portal);
    }
  }

  // The extended protocol

  #parse(body: MessageReader): void {
    const { name, text, typeIds } = readParse(body);
    const statements = withText(text, () => this.#statementsIn(text));
    if (statements.length > 1) {
      throw new ProtocolError(
        '42601',
        'a prepared statement must be a single statement; use a simple query for several',
      );
    }
    const [statement = null] = statements;
    if (statement?.tokens[0].upper === 'EXECUTE') throw new ProtocolError('0A000', SIMPLE_ONLY);
    const count = Math.max(typeIds.length, statement?.parameterCount ?? 0);
    const filled = Array.from({ length: count }, (_, at) => typeIds[at] ?? 0);
    this.#registry.addPrepared(name, newPrepared(text, statement, filled));
    this.#output.put(messages.parseComplete());
  }

  #bind(body: MessageReader): void {
    const { name, preparedName, formatCodes, values, formats } = readBind(body);
    const prepared = this.#registry.prepared(preparedName);
    if (values.length !== prepared.typeIds.length) {
      const required = `the prepared statement requires ${prepared.typeIds.length} parameters`;
      throw new ProtocolError('08P01', `${required}, but the message has ${values.length}`);
    }
    this.#registry.addPortal(
      name,
      newPortal(prepared, values, formatsFor(formatCodes, values.length), formats),
    );
    this.#output.put(messages.bindComplete());
  }

  async #describe(body: MessageReader): Promise<void> {
    const { target, name } = readTarget(body);
    if (target === 'P') {
      const portal = this.#registry.portal(name);
      const { statement } = portal.prepared;
      if (statement === null) this.#output.put(messages.noData());
      else if (hasOnlyEffect(statement)) {
        const returned = withText(portal.prepared.text, () =>
          this.#answers.describeReturning(statement, portal),
        );
        this.#output.put(returned ?? messages.noData());
      } else {
        const { description } = await this.#inTime(portal, () => this.#opened(portal));
        this.#output.put(description ?? messages.noData());
      }
      return;
    }
    const prepared = this.#registry.prepared(name);
    const described = await withTextLater(prepared.text, () => this.#description(prepared));
    this.#output.put(messages.parameterDescription(described.typeIds));
    this.#output.put(described.rows ?? messages.noData());
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
      this.#output.put(messages.emptyQuery());
      return;
    }
    await this.#inTime(portal, async () => {
      await this.#opened(portal);
      await this.#output.sendRows(portal, Math.max(0, rowsMax));
    });
  }

  #close(body: MessageReader): void {
    const { target, name } = readTarget(body);
    if (target === 'S') this.deallocate(name);
    else this.#registry.closePortal(name);
    this.#output.put(messages.closeComplete());
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

  async #refuse(error: unknown, text: string | null): Promise<void> {
    if (error instanceof ClientGone) throw error;
    const fields = errorFieldsOf(error, text);
    if (this.transaction === 'T') this.transaction = 'E';
    this.#dependencies.counters.statementRefused(fields.state);
    this.#output.put(messages.errorResponse(fields));
    await this.#output.flush();
  }

  async #ready(): Promise<void> {
    this.#output.put(messages.readyForQuery(this.transaction));
    await this.#output.flush();
  }
}

/** The error to send for `error`, which may be the effect of a cancellation. */
function stoppedBy({ isCancelled, isLate }: Waiting, error: unknown): unknown {
  if (!isCancelled || error instanceof ClientGone || errorFieldsOf(error, null).state !== STOPPED)
    return error;
  const why = isLate ? 'canceling statement due to statement timeout' : 'the query was stopped';
  return new ProtocolError(STOPPED, why);
}

/** Whether a message has a string that is not UTF-8; other malformed messages end the connection. */
const isOfText = (error: unknown): boolean => error instanceof ProtocolError && error.state === NOT_UTF8;

function unknownMessage(kind: number): ProtocolError {
  const letter = JSON.stringify(String.fromCharCode(kind));
  return new ProtocolError('08P01', `unexpected message of kind ${letter}`);
}
