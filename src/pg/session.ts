/**
 * One client that was let in: its prepared statements, its portals, and what each of its messages does.
 * Invariants: messages are taken one behind the other; behind an error of the extended protocol all is passed over up to
 * Sync; every message Query and Sync ends with one ReadyForQuery; a statement runs once per Execute from the beginning of its
 * portal; portals live until Sync, or in a transaction until its end; nothing that is kept grows beyond the bounds below.
 */
import type { EngineApi } from '../engine/index.js';
import * as sql from '../sql/index.js';
import { type Answer, rowsWithin } from './answer.js';
import { formatsFor } from './binary.js';
import { type CatalogAsker, type CatalogStatement, catalogAnswer } from './catalog-answer.js';
import { ClientGone, fieldsOf, ProtocolFault, withText, withTextLater } from './fault.js';
import type { Frame } from './frames.js';
import type { MessageReader } from './message-reader.js';
import * as messages from './messages.js';
import { parameterValue } from './parameters.js';
import {
  bytesOf,
  fieldsWithout,
  isOfSql,
  newPortal,
  nextRows,
  type Portal,
  type Prepared,
} from './portal.js';
import { forbiddenCall, routeOf } from './routing.js';
import { type Admission, type AskedRequest, answerSelect, bindSelect } from './select.js';
import { answerAtOnce, answerSession, type SessionState } from './session-statement.js';
import type { Settings } from './settings.js';
import { TYPE } from './types.js';
import { Waiting } from './waiting.js';

/** Who is let in, and asks: bound to a key and an address. */
export interface Asking {
  /** The database now. Throws what such a client is refused with. */
  open(): Admission;
  ask(askedFor: 'rows' | 'columns', text: string): AskedRequest;
}

export interface SessionNeeds {
  readonly asking: Asking;
  readonly engine: Pick<EngineApi, 'select'>;
  readonly catalog: CatalogAsker;
  readonly settings: Settings;
  readonly databaseName: string;
  readonly userName: string;
  readonly processId: number;
  /** Resolves when more may be sent; rejects when the client is gone. */
  readonly send: (bytes: Uint8Array) => Promise<void>;
}

const PREPARED_MAX = 1_000;
const PREPARED_CHARS_MAX = 4 * 2 ** 20;
const PORTALS_MAX = 20;
const PORTAL_BYTES_MAX = 8 * 2 ** 20;
const ROWS_AT_ONCE = 2 ** 18;
/** SQLSTATE query_canceled. */
const STOPPED = '57014';
const EMPTY = Buffer.alloc(0);
const READ_ONLY =
  'this port is for reading: rows are written with POST /v1/insert, /v1/update, /v1/delete or /v1/sql, dimensions and columns made with /v1/dimension and /v1/column';

const kindOf = (letter: string): number => letter.charCodeAt(0);

export class Session implements SessionState {
  readonly settings: Settings;
  readonly databaseName: string;
  readonly userName: string;
  readonly processId: number;
  transaction: messages.TransactionState = 'I';
  readonly #needs: SessionNeeds;
  readonly #prepared = new Map<string, Prepared>();
  #preparedChars = 0;
  readonly #portals = new Map<string, Portal>();
  #portalBytes = 0;
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
  }

  /** Stops what runs; the client is told so. */
  cancel(): void {
    this.#waiting?.hangUp();
  }

  /** The client is gone, or is to go. */
  leave(): void {
    this.cancel();
    this.closePortals();
  }

  deallocate(name: string | null): void {
    if (name === null) {
      this.#prepared.clear();
      this.#preparedChars = 0;
      return;
    }
    this.#preparedChars -= this.#prepared.get(name)?.text.length ?? 0;
    this.#prepared.delete(name);
  }

  closePortals(): void {
    for (const name of [...this.#portals.keys()]) this.#closePortal(name);
  }

  /** Does what one message asks. Rejects with ProtocolFault for one that ends the connection, and when the client is gone. */
  async take({ kind, body }: Frame): Promise<void> {
    if (kind === kindOf('Q')) {
      this.#passesOver = false;
      await this.#query(body.text());
      await this.#ready();
    } else if (kind === kindOf('S')) {
      this.#passesOver = false;
      if (this.transaction === 'I') this.closePortals();
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
    if (this.transaction === 'I') this.closePortals();
  }

  async #run(statement: sql.PostgresStatement, text: string): Promise<void> {
    const prepared: Prepared = { text, statement, typeIds: [] };
    const portal = newPortal(prepared, [], [], []);
    try {
      const answer = await this.#opened(portal);
      if (answer.description !== null) this.#put(answer.description);
      await this.#sendRows(portal, 0);
    } finally {
      this.#leave(portal);
    }
  }

  // The extended protocol

  #parse(body: MessageReader): void {
    const name = body.text();
    const text = body.text();
    const typeIds = Array.from({ length: body.count() }, () => body.int32() >>> 0);
    body.expectEnd();
    if (name !== '' && this.#prepared.has(name)) {
      throw new ProtocolFault('42P05', `there is a prepared statement ${JSON.stringify(name)} already`);
    }
    const statements = withText(text, () => sql.readPostgres(text));
    if (statements.length > 1) {
      throw new ProtocolFault('42601', 'a prepared statement is one statement; several go in a simple query');
    }
    const [statement = null] = statements;
    const count = Math.max(typeIds.length, statement?.parameterCount ?? 0);
    this.deallocate(name);
    if (this.#prepared.size >= PREPARED_MAX || this.#preparedChars + text.length > PREPARED_CHARS_MAX) {
      throw new ProtocolFault(
        '53200',
        `a session keeps at most ${PREPARED_MAX} prepared statements; close some`,
      );
    }
    this.#preparedChars += text.length;
    const filled = Array.from({ length: count }, (_, at) => typeIds[at] ?? 0);
    this.#prepared.set(name, { text, statement, typeIds: filled });
    this.#put(messages.parseComplete());
  }

  #bind(body: MessageReader): void {
    const name = body.text();
    const prepared = this.#preparedNamed(body.text());
    const given = Array.from({ length: body.count() }, () => body.int16());
    const values = Array.from({ length: body.count() }, () => {
      const byteCount = body.int32();
      return byteCount === -1 ? null : body.take(byteCount);
    });
    const formats = Array.from({ length: body.count() }, () => body.int16());
    body.expectEnd();
    if (name !== '' && this.#portals.has(name)) {
      throw new ProtocolFault('42P03', `there is a portal ${JSON.stringify(name)} already`);
    }
    if (values.length !== prepared.typeIds.length) {
      const wanted = `${prepared.typeIds.length} parameters are wanted`;
      throw new ProtocolFault('08P01', `${wanted}, ${values.length} are given`);
    }
    this.#closePortal(name);
    const portal = newPortal(prepared, values, formatsFor(given, values.length), formats);
    const byteCount = bytesOf(portal);
    if (this.#portals.size >= PORTALS_MAX || this.#portalBytes + byteCount > PORTAL_BYTES_MAX) {
      throw new ProtocolFault('53200', `a session has at most ${PORTALS_MAX} portals; close some`);
    }
    this.#portalBytes += byteCount;
    this.#portals.set(name, portal);
    this.#put(messages.bindComplete());
  }

  async #describe(body: MessageReader): Promise<void> {
    const what = String.fromCharCode(body.byte());
    const name = body.text();
    body.expectEnd();
    if (what === 'P') {
      const portal = this.#portalNamed(name);
      if (portal.prepared.statement === null) this.#put(messages.noData());
      else {
        const { description } = await this.#opened(portal);
        this.#put(description ?? messages.noData());
      }
      return;
    }
    if (what !== 'S')
      throw new ProtocolFault('08P01', 'statements (S) and portals (P) are described, nothing else');
    const prepared = this.#preparedNamed(name);
    const description = await withTextLater(prepared.text, () => this.#description(prepared));
    // What was given as of no known type is text, in which values of all types are taken.
    this.#put(messages.parameterDescription(prepared.typeIds.map((id) => (id === 0 ? TYPE.text : id))));
    this.#put(description ?? messages.noData());
  }

  /** Of the rows that a statement would give, whatever its parameters are. */
  async #description({ statement, text, typeIds }: Prepared): Promise<Buffer | null> {
    if (statement === null) return null;
    const route = routeOf(statement);
    if (route === 'rows' || route === 'either') {
      const admission = this.#needs.asking.open();
      try {
        const fields = fieldsWithout(statement, typeIds, admission);
        return messages.rowDescription(fields, formatsFor([], fields.length));
      } catch (error) {
        if (route === 'rows') throw error;
      }
    }
    const values = typeIds.map(() => null);
    const portal = newPortal({ statement, text, typeIds }, values, formatsFor([], values.length), []);
    // What concerns the session alone has an effect when it is answered.
    if (route === 'session' && statement.tokens[0].upper !== 'SHOW') return null;
    try {
      return (await this.#opened(portal)).description;
    } finally {
      this.#leave(portal);
    }
  }

  async #execute(body: MessageReader): Promise<void> {
    const portal = this.#portalNamed(body.text());
    const rowsMax = body.int32();
    body.expectEnd();
    if (portal.prepared.statement === null) {
      this.#put(messages.emptyQuery());
      return;
    }
    await this.#opened(portal);
    await this.#sendRows(portal, Math.max(0, rowsMax));
  }

  #close(body: MessageReader): void {
    const what = String.fromCharCode(body.byte());
    const name = body.text();
    body.expectEnd();
    if (what === 'S') this.deallocate(name);
    else this.#closePortal(name);
    this.#put(messages.closeComplete());
  }

  // Answers

  /** The portal's answer, begun if it was not. */
  async #opened(portal: Portal): Promise<Answer> {
    if (portal.answer !== null) return portal.answer;
    const { statement, text } = portal.prepared;
    if (statement === null) throw new ProtocolFault('XX000', 'an empty query has no answer');
    const waiting = new Waiting();
    this.#waiting = waiting;
    try {
      portal.answer = await withTextLater(text, () => this.#answer(statement, portal, waiting));
    } catch (error) {
      this.#waiting = null;
      throw error;
    }
    return portal.answer;
  }

  async #answer(statement: sql.PostgresStatement, portal: Portal, waiting: Waiting): Promise<Answer> {
    const { formats } = portal;
    const route = routeOf(statement);
    const ends = ['COMMIT', 'END', 'ROLLBACK', 'ABORT'].includes(statement.tokens[0].upper);
    if (this.transaction === 'E' && !ends) {
      throw new ProtocolFault(
        '25P02',
        'the transaction has failed; nothing is done up to its end (ROLLBACK)',
      );
    }
    if (route === 'session') return answerSession(statement, this, formats);
    if (route === 'write') throw new ProtocolFault('25006', READ_ONLY);
    if (route === 'catalog' || route === 'either') {
      const atOnce = answerAtOnce(statement, this, formats);
      if (atOnce !== null) return atOnce;
    }
    if (route === 'catalog') return this.#catalogAnswer(statement, portal, waiting);
    try {
      return this.#rows(statement, portal, waiting);
    } catch (error) {
      if (route !== 'either' || !isOfSql(error)) throw error;
      return this.#catalogAnswer(statement, portal, waiting);
    }
  }

  #rows(statement: sql.PostgresStatement, portal: Portal, waiting: Waiting): Answer {
    const { prepared, values, parameterFormats, formats } = portal;
    const parameters = values.map((value, at) =>
      parameterValue(value, prepared.typeIds[at], parameterFormats[at]),
    );
    const request = this.#needs.asking.ask('rows', statement.text);
    try {
      const bound = bindSelect(statement, parameters, request.admission);
      return answerSelect(this.#needs.engine, request, bound, formats, waiting);
    } catch (error) {
      request.over(error, 0);
      throw error;
    }
  }

  async #catalogAnswer(statement: sql.PostgresStatement, portal: Portal, waiting: Waiting): Promise<Answer> {
    const forbidden = forbiddenCall(statement);
    if (forbidden !== null) {
      throw new ProtocolFault('42501', `${forbidden.text} is not available: the catalog is for looking at`);
    }
    const { values, parameterFormats, formats, prepared } = portal;
    const asked: CatalogStatement = {
      text: statement.text,
      position: sql.characterAt(prepared.text, statement.tokens[0].place),
      typeIds: prepared.typeIds,
      values,
      parameterFormats,
      formats,
    };
    const request = this.#needs.asking.ask('columns', statement.text);
    try {
      return await catalogAnswer(this.#needs.catalog, request, asked, waiting);
    } catch (error) {
      request.over(error instanceof ProtocolFault ? null : error, 0);
      throw error;
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
    this.#waiting = null;
    answer.over(null, portal.rowCount);
    this.#put(messages.commandComplete(answer.tag(portal.rowCount)));
  }

  #leave(portal: Portal): void {
    const { answer } = portal;
    if (answer === null || portal.isOver) return;
    portal.isOver = true;
    portal.left = EMPTY;
    answer.over(null, portal.rowCount);
    void answer.rows.return?.()?.catch(() => {});
  }

  #closePortal(name: string): void {
    const portal = this.#portals.get(name);
    if (portal === undefined) return;
    this.#portals.delete(name);
    this.#portalBytes -= bytesOf(portal);
    this.#leave(portal);
  }

  #preparedNamed(name: string): Prepared {
    const prepared = this.#prepared.get(name);
    if (prepared !== undefined) return prepared;
    throw new ProtocolFault('26000', `there is no prepared statement ${JSON.stringify(name)}`);
  }

  #portalNamed(name: string): Portal {
    const portal = this.#portals.get(name);
    if (portal !== undefined) return portal;
    throw new ProtocolFault('34000', `there is no portal ${JSON.stringify(name)}`);
  }

  // What is sent

  async #refuse(error: unknown, text: string | null): Promise<void> {
    const wasStopped = this.#waiting?.hasHungUp === true;
    this.#waiting = null;
    if (error instanceof ClientGone) throw error;
    const told = fieldsOf(error, text);
    const fields =
      wasStopped && told.state === STOPPED ? { ...told, message: 'the query was stopped' } : told;
    if (this.transaction === 'T') this.transaction = 'E';
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

function unknownMessage(kind: number): ProtocolFault {
  const letter = JSON.stringify(String.fromCharCode(kind));
  return new ProtocolFault('08P01', `a message of kind ${letter} is not taken here`);
}
