/**
 * Prints whole SQL statements, their clauses in random forms, and records the source positions that the parser must find.
 */
import type {
  Script,
  SelectItem,
  SelectStatement,
  SqlNode,
  TableName,
  WriteStatement,
} from '../../../src/sql/index.js';
import { SqlNodePrinter } from './printed-sql-nodes.js';

export class SqlPrinter extends SqlNodePrinter {
  /** Writes the script and returns it with source positions. */
  script(script: Script): Script {
    const separate = (index: number, count: number): void => {
      if (index < count - 1 || this.random.chance(0.5)) this.sign(';');
    };
    if (script.kind === 'reads') {
      const statements = script.statements.map((statement, index, all) => {
        const written = statement.is === 'select' ? this.#select(statement) : statement;
        separate(index, all.length);
        return written;
      });
      return { kind: 'reads', statements };
    }
    if (script.kind === 'model') throw new Error('CREATE TABLE is not generated');
    const statements = script.statements.map((statement, index, all) => {
      const written = this.#write(statement);
      separate(index, all.length);
      return written;
    });
    return { kind: 'writes', statements };
  }

  #tableName({ name, alias }: TableName): TableName {
    const position = this.name(name);
    this.alias(alias);
    return { name, alias, position };
  }

  #select(statement: SelectStatement): SelectStatement {
    const random = this.random;
    const explained = { no: [], plan: ['explain'], analyze: ['explain', 'analyze'] }[statement.explain];
    const position = this.words(...explained, 'select');
    if (statement.distinct) this.words('distinct');
    const { limit } = statement;
    const onTop = limit !== null && random.chance(0.2);
    const top = onTop ? this.#top(limit.count) : null;
    const items = this.comma(statement.items, (item) => this.#item(item));
    let from = statement.from;
    if (from !== null) {
      this.words('from');
      from = this.#tableName(from);
    }
    const joins = statement.joins.map(({ table, kind, on }) => {
      if (kind === 'left') this.words('left', ...(random.chance(0.5) ? ['outer'] : []), 'join');
      else this.words(...(random.chance(0.5) ? ['inner'] : []), 'join');
      const joined = this.#tableName(table);
      this.words('on');
      return { table: joined, kind, on: this.node(on) };
    });
    const where = this.#clause(['where'], statement.where);
    if (statement.groupBy.length > 0) this.words('group', 'by');
    const groupBy = this.comma(statement.groupBy, (node) => this.node(node));
    const having = this.#clause(['having'], statement.having);
    if (statement.orderBy.length > 0) this.words('order', 'by');
    const orderBy = this.comma(statement.orderBy, ({ of, descending }) => {
      const key = { of: this.node(of), descending, missing: null };
      if (descending) this.words('desc');
      else if (random.chance(0.5)) this.words('asc');
      if (random.chance(0.2)) this.words('nulls', 'last');
      return key;
    });
    const behind = this.#paging(onTop ? null : limit, statement.offset);
    return {
      ...statement,
      position,
      items,
      from,
      joins,
      where,
      groupBy,
      having,
      orderBy,
      limit: top ?? behind,
    };
  }

  #item({ of, alias }: SelectItem): SelectItem {
    const written = this.node(of);
    this.alias(alias);
    return { of: written, alias };
  }

  #clause(words: readonly string[], node: SqlNode | null): SqlNode | null {
    if (node === null) return null;
    this.words(...words);
    return this.node(node);
  }

  #top(count: number): SelectStatement['limit'] {
    this.words('top');
    const enclosed = this.random.chance(0.5);
    if (enclosed) this.sign('(');
    const position = this.sign(String(count));
    if (enclosed) this.sign(')');
    return { count, position };
  }

  #paging(limit: SelectStatement['limit'], offset: number): SelectStatement['limit'] {
    const random = this.random;
    const skip = (): void => {
      if (offset === 0 && random.chance(0.8)) return;
      this.words('offset');
      this.sign(String(offset));
      if (random.chance(0.3)) this.words(random.pick(['row', 'rows']));
    };
    if (limit === null) {
      skip();
      return null;
    }
    const { count } = limit;
    const form = random.below(4);
    if (form === 0) {
      this.words('limit');
      this.sign(String(offset));
      this.sign(',');
      return { count, position: this.sign(String(count)) };
    }
    if (form === 1) {
      skip();
      this.words('fetch', random.pick(['first', 'next']));
      const position = this.sign(String(count));
      this.words(random.pick(['row', 'rows']), 'only');
      return { count, position };
    }
    if (form === 2) skip();
    this.words('limit');
    const position = this.sign(String(count));
    if (form === 3) skip();
    return { count, position };
  }

  #write(statement: WriteStatement): WriteStatement {
    if (statement.is === 'insert-query') throw new Error('INSERT ... SELECT is not generated');
    if (statement.is === 'insert') {
      const position = this.words('insert', 'into');
      const table = this.#tableName(statement.table);
      this.sign('(');
      const columns = this.comma(statement.columns, ({ name }) => ({ name, position: this.name(name) }));
      this.sign(')');
      this.words('values');
      const rows = this.comma(statement.rows, (row) => {
        this.sign('(');
        const literals = this.comma(row, (literal) => this.node(literal));
        this.sign(')');
        return literals;
      });
      return { ...statement, position, table, columns, rows };
    }
    if (statement.is === 'delete') {
      const position = this.words('delete', 'from');
      const table = this.#tableName(statement.table);
      return { ...statement, position, table, where: this.#clause(['where'], statement.where) };
    }
    const position = this.words('update');
    const table = this.#tableName(statement.table);
    this.words('set');
    const set = this.comma(statement.set, ({ column, value }) => {
      const columnName = this.name(column);
      this.sign('=');
      return { column, position: columnName, value: this.node(value) };
    });
    return { ...statement, position, table, set, where: this.#clause(['where'], statement.where) };
  }
}
