/** The same generated tables in a server, in DuckDB and in SQLite, and generated SELECTs that are sent to all three. */
import type { Prng } from '../../src/base/index.js';
import { UNGROUPED } from '../../src/sql/bind/expressions/key-parts.js';
import type { ConformanceServer } from '../support/conformance-server.js';
import { difference, rowsOf } from '../support/sql/sql-answers.js';
import { type AnswerValue, Duck, Lite } from '../support/sql/sql-engines.js';
import { insertWorld } from '../support/sql/sql-load.js';
import { float } from '../support/sql/sql-piece.js';
import { generateWorld } from '../support/sql/sql-world.js';
import { printSelect, type Select, smallerSelects, withOpaqueKeys } from './sql-select.js';
import { Statements } from './sql-statements.js';

const IN_FLIGHT = 4;
/** Maximum number of attempts to reduce a statement that shows a difference. */
const SMALLER_TRIES_MAX = 400;

const SCORE = float(6);

type Rows = readonly (readonly AnswerValue[])[];

export class SqlLife {
  readonly #prng: Prng;
  readonly #duck: Duck;
  readonly #lite: Lite;
  readonly #selects: Select[] = [];
  #worlds = 0;
  #statements: Statements | null = null;
  #liteCount = 0;
  #rowCount = 0;
  #emptyCount = 0;

  private constructor(prng: Prng, duck: Duck, lite: Lite) {
    this.#prng = prng;
    this.#duck = duck;
    this.#lite = lite;
  }

  static async start(prng: Prng): Promise<SqlLife> {
    return new SqlLife(prng, await Duck.open(), await Lite.open());
  }

  close(): void {
    this.#duck.close();
    this.#lite.close();
  }

  /** The number of compared queries and rows, as text. */
  summary(): string {
    const count = this.#selects.length;
    return `${count} queries, ${this.#liteCount} of SQLite too, ${this.#rowCount} rows, ${this.#emptyCount} answers without any`;
  }

  async addWorld(server: ConformanceServer): Promise<void> {
    const world = generateWorld(this.#prng, `w${this.#worlds++}`);
    await insertWorld(server, world);
    await this.#duck.load(world);
    this.#lite.load(world);
    this.#statements = new Statements(this.#prng, world);
  }

  /** Sends new queries. Returns a description of each wrong answer. */
  async query(server: ConformanceServer, count: number): Promise<string[]> {
    const statements = this.#statements as Statements;
    const selects = Array.from({ length: count }, () => statements.any());
    this.#selects.push(...selects);
    return this.#queryAll(server, selects);
  }

  queryAgain(server: ConformanceServer, count: number): Promise<string[]> {
    const selects = Array.from({ length: count }, () => this.#prng.pick(this.#selects));
    return this.#queryAll(server, selects);
  }

  async #queryAll(server: ConformanceServer, selects: readonly Select[]): Promise<string[]> {
    const wrong: string[] = [];
    const waiting = [...selects];
    const queryNext = async (): Promise<void> => {
      for (let select = waiting.shift(); select !== undefined; select = waiting.shift()) {
        const first = await this.#differenceOf(server, select);
        if (first === null) continue;
        // A refusal by another engine is an error of the generator, so the whole statement is reported.
        const smallest =
          natureOf(first) === 'refused' ? select : await this.#smallest(server, select, natureOf(first));
        const { quarry, duck } = printSelect(smallest);
        wrong.push(`${quarry}\n  DuckDB: ${duck}\n  ${await this.#differenceOf(server, smallest)}`);
      }
    };
    await Promise.all(Array.from({ length: IN_FLIGHT }, queryNext));
    return wrong;
  }

  async #differenceOf(server: ConformanceServer, select: Select): Promise<string | null> {
    const { quarry, duck, lite } = printSelect(select);
    const [answer, byDuck] = await Promise.all([server.sql(quarry), this.#queryDuckDb(duck, select)]);
    let expected = byDuck;
    if (typeof byDuck === 'string' && UNGROUPED_BY_DUCK.test(byDuck)) {
      if (answer.text.includes(UNGROUPED)) return null;
      expected = await this.#queryDuckDb(printSelect(withOpaqueKeys(select)).duck, select);
    }
    if (typeof expected === 'string')
      return `DuckDB refuses it: ${expected}; Quarry: ${answer.text.slice(0, 200)}`;
    if (answer.status !== 200) return `HTTP ${answer.status} ${answer.text.slice(0, 400)}`;
    let found: Rows;
    try {
      found = rowsOf(answer.text, select.star ? [...select.items, SCORE] : select.items);
      // This rule of the interface does not exist in other engines.
      if (select.star) found = found.map((row) => row.slice(0, -1));
    } catch (error) {
      return String(error);
    }
    this.#rowCount += found.length;
    if (found.length === 0) this.#emptyCount++;
    const differs = difference(found, expected, select.items, select.total);
    if (differs !== null) return differs;
    if (lite === null) return null;
    this.#liteCount++;
    const byLite = this.#differenceFromLite(found, lite, select);
    return byLite === null ? null : `${byLite} of SQLite: ${lite}`;
  }

  #differenceFromLite(found: Rows, sql: string, { items, total }: Select): string | null {
    try {
      return difference(found, this.#lite.query(sql, items), items, total);
    } catch (error) {
      return `refused (${error})`;
    }
  }

  async #queryDuckDb(sql: string, { items }: Select): Promise<Rows | string> {
    try {
      return await this.#duck.query(sql, items);
    } catch (error) {
      return String(error).slice(0, 300);
    }
  }

  /** A reduced statement that still shows a difference of the same kind. */
  async #smallest(server: ConformanceServer, select: Select, nature: string): Promise<Select> {
    let smallest = select;
    let tries = 0;
    for (let found = true; found; ) {
      found = false;
      for (const smaller of smallerSelects(smallest)) {
        if (++tries > SMALLER_TRIES_MAX) return smallest;
        const other = await this.#differenceOf(server, smaller).catch(() => null);
        if (other === null || natureOf(other) !== nature) continue;
        smallest = smaller;
        found = true;
        break;
      }
    }
    return smallest;
  }
}

// The refusal of a column that is not a grouping key.
const UNGROUPED_BY_DUCK = /must appear in the GROUP BY clause/;

/** The message of an HTTP error up to its first name or number, or the kind of difference without its values. */
function natureOf(text: string): string {
  if (text.startsWith('HTTP')) return /"message":"[a-zA-Z ]*/.exec(text)?.[0] ?? 'HTTP';
  if (/refuse/.test(text)) return 'refused';
  return text.includes(' of SQLite: ') ? 'SQLite' : text.startsWith('row ') ? 'a row' : 'rows';
}
