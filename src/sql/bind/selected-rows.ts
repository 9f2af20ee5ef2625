/** Binds INSERT ... SELECT: the SELECT, and its rows as inserts by the rules of INSERT ... VALUES. */
import { ENTITIES_PER_INSERT_MAX } from '../../base/index.js';
import type { ReadPlan } from '../../ir/index.js';
import { sqlError } from '../sql-error.js';
import type { InsertQueryStatement, SourcePosition, SqlNode } from '../tree.js';
import { bodyOf } from './insert-target.js';
import { bindRead } from './query/query.js';
import type { SqlRequest } from './request.js';
import { type BoundWrite, rowBinder } from './writes.js';

/** The plan of the SELECT; its outputs are named by their numbers. Throws 6000, 506. */
export function bindSelected(
  { query, table, columns, position }: InsertQueryStatement,
  request: SqlRequest,
): ReadPlan {
  if (query.explain !== 'no') throw sqlError('EXPLAIN has no rows to insert', query.position);
  // The columns are checked before anything is read.
  rowBinder({ table, columns, position }, request);
  const plan = bindRead(query, request);
  if (plan.outputs.length !== columns.length) {
    const counts = `${plan.outputs.length} columns for the ${columns.length} of INSERT`;
    throw sqlError(`the SELECT returns ${counts}`, query.position);
  }
  const named = <T extends object>(output: T, index: number): T & { readonly name: string } => ({
    ...output,
    name: String(index),
  });
  return 'root' in plan
    ? { ...plan, outputs: plan.outputs.map(named) }
    : { ...plan, outputs: plan.outputs.map(named) };
}

/** `lines`: the rows of `bindSelected`, a JSON object each. Throws 6000 for an entity that occurs twice. */
export function bindSelectedRows(
  { table, columns, query, position }: InsertQueryStatement,
  lines: readonly string[],
  request: SqlRequest,
): readonly BoundWrite[] {
  const memberOf = rowBinder({ table, columns, position }, request);
  const ids = new Set<string>();
  const writes: BoundWrite[] = [];
  for (let from = 0; from < lines.length; from += ENTITIES_PER_INSERT_MAX) {
    const part = lines.slice(from, from + ENTITIES_PER_INSERT_MAX);
    const members = part.map((line) => {
      const row = literalsOf(line, columns.length, query.position);
      const member = memberOf(row);
      const id = member.slice(0, endOfValue(member, 0));
      if (ids.has(id)) {
        throw sqlError(`the SELECT returns the entity ID ${id} more than once`, query.position);
      }
      ids.add(id);
      return member;
    });
    writes.push({
      write: 'insert',
      rowCount: part.length,
      body: (count) => bodyOf(members.slice(0, count)),
    });
  }
  return writes;
}

/** The values of {"0":...,"1":...} as literals; numbers keep their digits, lists are strings of JSON. */
function literalsOf(line: string, count: number, position: SourcePosition): readonly SqlNode[] {
  const row: SqlNode[] = [];
  let at = 1;
  for (let index = 0; index < count; index++) {
    at += `"${index}":`.length;
    const end = endOfValue(line, at);
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

/** The index after the JSON value that begins at `from`. */
function endOfValue(json: string, from: number): number {
  let depth = 0;
  for (let at = from; at < json.length; at++) {
    const unit = json[at];
    if (unit === '"') {
      at = endOfString(json, at);
      if (depth === 0) return at + 1;
    } else if (unit === '[' || unit === '{') depth++;
    else if (unit === ']' || unit === '}') {
      if (depth === 0) return at;
      if (--depth === 0) return at + 1;
    } else if (unit === ',' && depth === 0) return at;
  }
  return json.length;
}

/** The index of the quote that ends the string. */
function endOfString(json: string, from: number): number {
  let at = from + 1;
  while (json[at] !== '"') at += json[at] === '\\' ? 2 : 1;
  return at;
}
