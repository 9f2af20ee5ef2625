/**
 * Generated scripts in the manner of SQLite's own: tables of integers with missing values, and SELECTs with signs, NULL and
 * parentheses in unusual positions, over one table and over joined ones. The expected values are those of DuckDB and SQLite.
 */
import type { Prng } from '../../src/base/index.js';
import { Expressions, type SourceColumn } from './expressions.js';
import { type Engine, Refusal, resultLines } from './run.js';
import type { ScriptRecord } from './script.js';

const TABLE_COUNT = 3;
const WORDS = ['a', 'ab', 'b', 'c d', 'x', 'zz', 'A', 'Bc'];
/** Over HTTP a quotient of integers has a fraction. */
const FRACTIONS = ['quarry-http'];
const UNCONDITIONAL = { line: 0, skippedBy: [], onlyFor: [] };

interface GeneratedTable {
  readonly name: string;
  readonly columns: readonly SourceColumn[];
}

/** A query before its values are known. */
interface GeneratedQuery {
  readonly sql: string;
  readonly types: string;
  /** The rows have a total order. */
  readonly isOrdered: boolean;
}

/** Statements that create and fill the tables of a script. */
function tablesOf(prng: Prng): {
  readonly tables: readonly GeneratedTable[];
  readonly setup: readonly string[];
} {
  const tables: GeneratedTable[] = [];
  const setup: string[] = [];
  for (let number = 0; number < TABLE_COUNT; number++) {
    const name = `tab${number}`;
    const columns: SourceColumn[] = [
      ...[0, 1, 2].map((at) => ({ name: `col${at}`, type: 'I' as const })),
      { name: 'col3', type: 'R' },
      { name: 'col4', type: 'T' },
    ];
    tables.push({ name, columns });
    const types = { I: 'INTEGER', R: 'FLOAT', T: 'TEXT' } as const;
    setup.push(
      `CREATE TABLE ${name}(${columns.map((each) => `${each.name} ${types[each.type]}`).join(', ')})`,
    );
    const rowCount = prng.pick([0, 1, 3, 10, 20]);
    if (rowCount === 0) continue;
    const rows = Array.from(
      { length: rowCount },
      () => `(${columns.map(({ type }) => literal(prng, type)).join(', ')})`,
    );
    setup.push(`INSERT INTO ${name} VALUES ${rows.join(', ')}`);
  }
  return { tables, setup };
}

function literal(prng: Prng, type: SourceColumn['type']): string {
  if (prng.chance(0.12)) return 'NULL';
  if (type === 'T') return `'${prng.pick(WORDS)}'`;
  const whole = prng.chance(0.3) ? prng.below(6) : prng.below(100);
  return type === 'I' ? String(whole) : `${whole}.${prng.pick(['0', '5', '25', '75'])}`;
}

class Queries {
  readonly #prng: Prng;
  readonly #tables: readonly GeneratedTable[];
  readonly #expressions: Expressions;

  constructor(prng: Prng, tables: readonly GeneratedTable[]) {
    this.#prng = prng;
    this.#tables = tables;
    this.#expressions = new Expressions(prng);
  }

  next(): GeneratedQuery {
    const prng = this.#prng;
    const query = prng.chance(0.08) ? this.#combined() : this.#block();
    if (!query.isOrdered || prng.chance(0.5)) return { ...query, isOrdered: false };
    const keys = Array.from(
      query.types,
      (_, at) => `${at + 1}${prng.pick(['', ' ASC', ' DESC'])} NULLS LAST`,
    );
    const paging = prng.chance(0.4)
      ? ` LIMIT ${prng.below(6)}${prng.pick(['', ` OFFSET ${prng.below(3)}`])}`
      : '';
    return { ...query, sql: `${query.sql} ORDER BY ${keys.join(', ')}${paging}` };
  }

  #combined(): GeneratedQuery {
    const prng = this.#prng;
    const types = Array.from({ length: prng.between(1, 3) }, () => prng.pick(['I', 'I', 'T']));
    const parts = Array.from({ length: prng.between(2, 3) }, () => this.#block(types).sql);
    const operator = prng.pick(['UNION', 'UNION ALL', 'EXCEPT', 'INTERSECT']);
    return { sql: parts.join(` ${operator} `), types: types.join(''), isOrdered: true };
  }

  #block(wanted: readonly string[] | null = null): GeneratedQuery {
    const prng = this.#prng;
    const form = prng.below(10);
    if (form === 0 && wanted === null) return this.#constants();
    const { sql: from, columns } = this.#from();
    const where = prng.chance(0.7) ? ` WHERE ${this.#condition(columns)}` : '';
    if (form < 3 && wanted === null) return this.#star(from, columns, where);
    if (form < 6) return this.#grouped(from, columns, where, wanted);
    const types = wanted ?? this.#types();
    const items = types.map((type) => this.#item(this.#expressions.value(type as 'I', columns, 2)));
    const choice = prng.pick(['', '', ' ALL', ' DISTINCT']);
    return {
      sql: `SELECT${choice} ${items.join(', ')} FROM ${from}${where}`,
      types: types.join(''),
      isOrdered: true,
    };
  }

  #types(): readonly string[] {
    return Array.from({ length: this.#prng.between(1, 4) }, () => this.#prng.pick(['I', 'I', 'I', 'R', 'T']));
  }

  #item(text: string): string {
    return `${text}${this.#prng.pick(['', '', ` AS col${this.#prng.below(3)}`, ` col${this.#prng.below(3)}`])}`;
  }

  #constants(): GeneratedQuery {
    const types = this.#types();
    const items = types.map((type) => this.#item(this.#expressions.value(type as 'I', [], 3)));
    return {
      sql: `SELECT ${this.#prng.pick(['', 'ALL ', 'DISTINCT '])}${items.join(', ')}`,
      types: types.join(''),
      isOrdered: false,
    };
  }

  #star(from: string, columns: readonly SourceColumn[], where: string): GeneratedQuery {
    const types = columns.map(({ type }) => type).join('');
    return { sql: `SELECT ${this.#prng.pick(['', 'ALL '])}* FROM ${from}${where}`, types, isOrdered: false };
  }

  #grouped(
    from: string,
    columns: readonly SourceColumn[],
    where: string,
    wanted: readonly string[] | null,
  ): GeneratedQuery {
    const prng = this.#prng;
    const aggregate = (type: string): string => this.#expressions.aggregate(type as 'I', columns);
    if (prng.chance(0.4)) {
      const types = wanted ?? this.#types();
      const items = types.map((type) => this.#item(aggregate(type)));
      const having = prng.chance(0.2)
        ? ` HAVING ${this.#expressions.aggregate('I', columns)} IS NOT NULL`
        : '';
      return {
        sql: `SELECT ${items.join(', ')} FROM ${from}${where}${having}`,
        types: types.join(''),
        isOrdered: true,
      };
    }
    const keys = columns.filter(() => prng.chance(0.3)).slice(0, 2);
    const [key = columns[0]] = keys;
    const all = keys.length === 0 ? [key] : keys;
    const types = wanted ?? [...all.map(({ type }) => type), 'I'];
    const items = types.map((type) => {
      const own = all.find((column) => column.type === type);
      return this.#item(
        own !== undefined && prng.chance(0.6)
          ? this.#expressions.value(type as 'I', [own], 1)
          : aggregate(type),
      );
    });
    const having = prng.chance(0.4) ? ` HAVING ${this.#condition(all)}` : '';
    const by = all.map(({ name }) => name).join(', ');
    return {
      sql: `SELECT ${items.join(', ')} FROM ${from}${where} GROUP BY ${by}${having}`,
      types: types.join(''),
      isOrdered: true,
    };
  }

  #condition(columns: readonly SourceColumn[]): string {
    const prng = this.#prng;
    if (!prng.chance(0.12)) return this.#expressions.condition(columns, 2);
    const { name, columns: inner } = prng.pick(this.#tables);
    const alias = `sub${prng.below(9)}`;
    const own = inner.map((column) => ({ ...column, name: `${alias}.${column.name}` }));
    const where = prng.chance(0.7) ? ` WHERE ${this.#expressions.condition([...own, ...columns], 1)}` : '';
    if (prng.chance(0.5)) return `${prng.pick(['', 'NOT '])}EXISTS (SELECT 1 FROM ${name} ${alias}${where})`;
    const left = this.#expressions.value('I', columns, 1);
    const item = this.#expressions.value('I', own, 1);
    return `${left} ${prng.pick(['', 'NOT '])}IN (SELECT ${item} FROM ${name} AS ${alias}${where})`;
  }

  #from(): { readonly sql: string; readonly columns: readonly SourceColumn[] } {
    const prng = this.#prng;
    const count = prng.pick([1, 1, 1, 2, 2, 3]);
    const sources = Array.from({ length: count }, (_, at) => {
      const { name, columns } = prng.pick(this.#tables);
      const isAlone = count === 1 && prng.chance(0.5);
      const alias = isAlone ? name : `cor${at}`;
      const prefix = isAlone && prng.chance(0.6) ? '' : `${alias}.`;
      return {
        sql: isAlone ? name : `${name} ${prng.pick(['AS ', ''])}${alias}`,
        columns: columns.map((column) => ({ ...column, name: `${prefix}${column.name}` })),
      };
    });
    let { sql, columns } = sources[0];
    // A join binds closer than a comma, so its condition reads only the tables after the last comma.
    let readable = columns;
    for (const next of sources.slice(1)) {
      const kind = prng.pick([',', ' CROSS JOIN', ' JOIN', ' INNER JOIN', ' LEFT JOIN', ' LEFT OUTER JOIN']);
      readable = kind === ',' ? next.columns : [...readable, ...next.columns];
      const on = [',', ' CROSS JOIN'].includes(kind) ? '' : ` ON ${this.#expressions.condition(readable, 1)}`;
      sql = `${sql}${kind} ${next.sql}${on}`;
      columns = [...columns, ...next.columns];
    }
    return { sql, columns };
  }
}

export interface GeneratedScript {
  readonly records: readonly ScriptRecord[];
  /** Queries on which the judges differ, and those that both refuse. */
  readonly disputedCount: number;
  readonly unjudgedCount: number;
}

/** `judges`: the engines that decide what is right; where one refuses a query, the others decide. */
export async function generateScript(
  prng: Prng,
  queryCount: number,
  judges: readonly Engine[],
): Promise<GeneratedScript> {
  const { tables, setup } = tablesOf(prng);
  const records: ScriptRecord[] = setup.map((sql) => ({
    is: 'statement',
    ...UNCONDITIONAL,
    isError: false,
    sql,
  }));
  for (const judge of judges) {
    await judge.reset();
    for (const sql of setup) await judge.execute(sql);
  }
  const queries = new Queries(prng, tables);
  let [disputedCount, unjudgedCount] = [0, 0];
  for (let index = 0; index < queryCount; index++) {
    const { sql, types, isOrdered } = queries.next();
    const sort = isOrdered ? 'nosort' : 'rowsort';
    const verdicts = new Map<string, readonly string[]>();
    for (const judge of judges) {
      const lines = await verdictOf(judge, sql, types, sort);
      if (lines !== null) verdicts.set(lines.join('\n'), lines);
    }
    const [expected] = verdicts.values();
    if (verdicts.size > 1) disputedCount++;
    else if (expected === undefined) unjudgedCount++;
    else
      records.push({
        is: 'query',
        ...UNCONDITIONAL,
        skippedBy: sql.includes('/') ? FRACTIONS : [],
        types,
        sort,
        label: null,
        sql,
        expected,
      });
  }
  return { records, disputedCount, unjudgedCount };
}

async function verdictOf(
  judge: Engine,
  sql: string,
  types: string,
  sort: 'nosort' | 'rowsort',
): Promise<readonly string[] | null> {
  try {
    return resultLines(await judge.query(sql), types, sort);
  } catch (error) {
    if (error instanceof Refusal) return null;
    throw error;
  }
}
