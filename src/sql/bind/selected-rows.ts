/** Binds writes that take their rows from a SELECT, by the rules of INSERT ... VALUES. */
import { ENTITIES_PER_INSERT_MAX } from '../../base/index.js';
import type { ReadPlan } from '../../ir/index.js';
import { endOfJson } from '../../schema/index.js';
import { type RowStatement, rowQueryOf } from '../query/row-query.js';
import { sqlError } from '../sql-error.js';
import type { SourcePosition, SqlNode } from '../tree.js';
import { dimensionOf } from './clauses/sources.js';
import { bodyOf, idOfMember } from './insert-target.js';
import { nodesOf } from './nodes.js';
import { isAggregateNode } from './query/aggregates.js';
import { bindRead } from './query/query.js';
import type { SqlRequest } from './request.js';
import { type BoundInsert, type BoundWrite, checkAssignments, rowBinder } from './writes.js';

/** The plan of the SELECT; its outputs are named by their numbers. Throws 6000, 506. */
export function bindSelected(statement: RowStatement, request: SqlRequest): ReadPlan {
  const { query, table, columns } = rowQueryOf(statement);
  // The columns are checked before anything is read.
  if (statement.is === 'update') checkAssignments(statement, request);
  else rowBinder({ table, columns, position: statement.position }, request);
  if (statement.is === 'update') refuseAggregates(statement.set.map(({ value }) => value));
  const plan = bindRead(query, request);
  if (plan.outputs.length !== columns.length) {
    const counts = `${plan.outputs.length} columns for the ${columns.length} of INSERT`;
    throw sqlError(`the SELECT returns ${counts}`, query.position);
  }
  return numbered(plan);
}

/** The plan with outputs that are named by their numbers. */
export function numbered(plan: ReadPlan): ReadPlan {
  const named = <T extends object>(output: T, index: number): T & { readonly name: string } => ({
    ...output,
    name: String(index),
  });
  return 'root' in plan
    ? { ...plan, outputs: plan.outputs.map(named) }
    : { ...plan, outputs: plan.outputs.map(named) };
}

function refuseAggregates(values: readonly SqlNode[]): void {
  const found = values
    .flatMap((value) => [...nodesOf(value)])
    .find((node) => isAggregateNode(node) || node.is === 'over');
  if (found === undefined) return;
  throw sqlError('SET has no aggregates and window functions; write (SELECT ...)', found.position);
}

/**
 * `lines`: the rows of `bindSelected`, a JSON object each; `index`: that of the statement. Throws 6000 for an entity that is
 * written twice.
 */
export function bindSelectedRows(
  statement: RowStatement,
  lines: readonly string[],
  request: SqlRequest,
  index = 0,
): readonly BoundWrite[] {
  if (statement.is === 'delete') return [bindDeletedRows(statement.table, lines, request, index)];
  const { position } = rowQueryOf(statement).query;
  const ids = new Set<string>();
  const members = selectedMembers(statement, lines, request);
  for (const member of members) {
    const id = member.slice(0, endOfJson(member, 0));
    if (ids.has(id)) throw writtenTwice(statement, id, position);
    ids.add(id);
  }
  return partsOf(members, index, statement.is === 'update');
}

/** The rows as members of insert bodies. Throws 6000, 506. */
export function selectedMembers(
  statement: Exclude<RowStatement, { readonly is: 'delete' }>,
  lines: readonly string[],
  request: SqlRequest,
): readonly string[] {
  const { table, columns, query } = rowQueryOf(statement);
  const memberOf = rowBinder({ table, columns, position: statement.position }, request);
  return lines.map((line) => memberOf(literalsOf(line, columns.length, query.position)));
}

/** Inserts of the members, of which each has as many as an insert may have; one at least. */
export function partsOf(members: readonly string[], index: number, updates: boolean): readonly BoundInsert[] {
  const parts: BoundInsert[] = [];
  for (let from = 0; from === 0 || from < members.length; from += ENTITIES_PER_INSERT_MAX) {
    const part = members.slice(from, from + ENTITIES_PER_INSERT_MAX);
    parts.push({
      ...{ write: 'insert', statement: index, rowCount: part.length, updates },
      ids: () => part.map(idOfMember),
      body: (count) => bodyOf(part.slice(0, count)),
    });
  }
  return parts;
}

const writtenTwice = ({ is }: RowStatement, id: string, position: SourcePosition): Error =>
  sqlError(
    is === 'update'
      ? `the tables of FROM have more than one row for the entity ID ${id}`
      : `the SELECT returns the entity ID ${id} more than once`,
    position,
  );

/** Deletes the entities whose IDs the rows are; an ID may occur several times. */
function bindDeletedRows(
  table: RowStatement['table'],
  lines: readonly string[],
  { model }: SqlRequest,
  statement: number,
): BoundWrite {
  const texts = [...new Set(lines.map(idOfLine))];
  const condition = {
    op: 'entity-id',
    tests: [{ kind: 'text', match: 'equals', texts, negated: false }],
  } as const;
  return { write: 'change', statement, dimensionId: dimensionOf(table, model).id, condition, set: null };
}

/** The entity ID in the first value of a row. */
export function idOfLine(line: string): string {
  const from = '{"0":'.length;
  return JSON.parse(line.slice(from, endOfJson(line, from))) as string;
}

/** The values of {"0":...,"1":...} as literals; numbers keep their digits, lists are strings of JSON. */
export function literalsOf(line: string, count: number, position: SourcePosition): readonly SqlNode[] {
  const row: SqlNode[] = [];
  let at = 1;
  for (let index = 0; index < count; index++) {
    at += `"${index}":`.length;
    const end = endOfJson(line, at);
    row.push(literalOf(line.slice(at, end), position));
    at = end + 1;
  }
  return row;
}

function literalOf(json: string, position: SourcePosition): SqlNode {
  const node = { position, parenthesized: false } as const;
  switch (json[0]) {
    case 'n':
      return { is: 'null', ...node };
    case 't':
    case 'f':
      return { is: 'boolean', value: json === 'true', ...node };
    case '"':
      return { is: 'string', text: JSON.parse(json) as string, quotes: 'single', ...node };
    case '[':
    case '{':
      return { is: 'string', text: json, quotes: 'single', ...node };
    default:
      return { is: 'number', text: json, ...node };
  }
}
