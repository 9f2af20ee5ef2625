/** Parses the assignments of UPDATE and DO UPDATE. */
import { commaList } from '../query/order-keys.js';
import type { QueryReader } from '../query/query-reader.js';
import { selectOf } from '../query/select-of.js';
import { sqlError } from '../sql-error.js';
import type { FromItem, Query, QueryBody, SourcePosition, SqlNode, UpdateStatement } from '../tree.js';
import { defaultOf } from './default-value.js';

type Assignment = UpdateStatement['set'][number];

/** Parses SET and the assignments after it. */
export function readAssignments(reader: QueryReader): readonly Assignment[] {
  reader.expectKeyword('SET');
  return commaList(reader, () => readAssignment(reader)).flat();
}

/** Parses `column = value` and `(a, b) = (value, value)`, whose right side may be a query. */
function readAssignment(reader: QueryReader): readonly Assignment[] {
  const open = reader.peek();
  if (!reader.acceptSign('(')) {
    const { column, position } = readTarget(reader);
    reader.expectSign('=');
    return [{ column, position, value: defaultOf(reader) ?? reader.value() }];
  }
  const targets = commaList(reader, () => readTarget(reader));
  reader.expectClosing(open.position);
  reader.expectSign('=');
  const values = valuesOf(reader, targets.length);
  return targets.map((target, index) => ({ ...target, value: values[index] }));
}

function readTarget(reader: QueryReader): Omit<Assignment, 'value'> {
  const { text: column, position } = reader.expectName("a column's name");
  return { column, position };
}

function valuesOf(reader: QueryReader, count: number): readonly SqlNode[] {
  const { position } = reader.peek();
  if (reader.isQueryAhead()) {
    const query = reader.enclosedQuery();
    checkWidth(query.body, count, position);
    return Array.from({ length: count }, (_, index) => columnOfQuery(query, index, count, position));
  }
  reader.acceptKeyword('ROW');
  const open = reader.peek();
  reader.expectSign('(');
  const values = commaList(reader, () => defaultOf(reader) ?? reader.value());
  reader.expectClosing(open.position);
  if (values.length === count) return values;
  throw sqlError(`${values.length} values for ${count} columns`, open.position);
}

/** (SELECT column FROM (query) AS t (columns)), the value of one column of a row that a query returns. */
function columnOfQuery(query: Query, index: number, count: number, position: SourcePosition): SqlNode {
  const names = Array.from({ length: count }, (_, at) => `column${at + 1}`);
  const column = { is: 'column', table: null, name: names[index], position, parenthesized: false } as const;
  const table: FromItem = {
    ...{ is: 'derived', query, alias: 'assigned', columnNames: names, lateral: false, position },
  };
  const one = selectOf([{ of: column, alias: null }], [table], null, position);
  return { is: 'subquery', query: one, position, parenthesized: true };
}

/** The part of a query that decides the number of its columns. */
function firstOf(body: QueryBody): Extract<QueryBody, { readonly is: 'block' | 'values' }> {
  if (body.is === 'set') return firstOf(body.left);
  return body.is === 'nested' ? firstOf(body.query.body) : body;
}

/** Throws 6000 unless the query has `count` columns. */
function checkWidth(body: QueryBody, count: number, position: SourcePosition): void {
  const first = firstOf(body);
  const columns = first.is === 'values' ? first.rows[0] : first.items.map(({ of }) => of);
  if (columns.some(({ is }) => is === 'star')) {
    throw sqlError('write the columns of this SELECT instead of *', position);
  }
  if (columns.length !== count) throw sqlError(`${columns.length} values for ${count} columns`, position);
}
