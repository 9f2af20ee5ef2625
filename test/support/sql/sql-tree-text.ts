/**
 * SQL trees as one line that shows every field except source positions: {} encloses nodes, and ( ) a parenthesized
 * node.
 */
import { QuarryError } from '../../../src/base/index.js';
import type {
  ReadStatement,
  Script,
  SelectStatement,
  SqlNode,
  TableName,
  WriteStatement,
} from '../../../src/sql/index.js';
import { fromText, queryNodeText, queryText } from './sql-query-text.js';

const not = (negated: boolean): string => (negated ? 'not ' : '');
const list = (nodes: readonly SqlNode[]): string => nodes.map(nodeText).join(', ');

function bareText(node: SqlNode): string {
  switch (node.is) {
    case 'number':
      return node.text;
    case 'string':
      return node.quotes === 'single' ? `'${node.text}'` : `"${node.text}"`;
    case 'boolean':
      return String(node.value);
    case 'null':
      return 'null';
    case 'column':
      return node.table === null ? `[${node.name}]` : `[${node.table}].[${node.name}]`;
    case 'star':
      return node.table === null ? '*' : `[${node.table}].*`;
    case 'negative':
      return `{- ${nodeText(node.of)}}`;
    case 'not':
      return `{not ${nodeText(node.of)}}`;
    case 'and':
    case 'or':
      return `{${nodeText(node.left)} ${node.is} ${nodeText(node.right)}}`;
    case 'compare':
      return `{${nodeText(node.left)} ${node.comparison} ${nodeText(node.right)}}`;
    case 'arithmetic':
      return `{${nodeText(node.left)} ${node.operator} ${nodeText(node.right)}}`;
    case 'between':
      return `{${nodeText(node.of)} ${not(node.negated)}between ${nodeText(node.low)} and ${nodeText(node.high)}}`;
    case 'in':
      return `{${nodeText(node.of)} ${not(node.negated)}in ${list(node.values)}}`;
    case 'like':
      return `{${nodeText(node.of)} ${not(node.negated)}like ${nodeText(node.pattern)} escape ${node.escape}}`;
    case 'is-null':
      return `{${nodeText(node.of)} is ${not(node.negated)}null}`;
    case 'case': {
      const branches = node.branches.map(
        ({ when, then }) => `when ${nodeText(when)} then ${nodeText(then)} `,
      );
      const of = node.of === null ? '' : `${nodeText(node.of)} `;
      return `{case ${of}${branches.join('')}else ${node.otherwise === null ? 'nothing' : nodeText(node.otherwise)}}`;
    }
    case 'cast': {
      const digits = node.precision === null ? '' : ` ${node.precision}`;
      const scale = node.scale === null ? '' : ` ${node.scale}`;
      return `{${node.lenient ? 'try ' : ''}cast ${nodeText(node.of)} as ${node.typeName}${digits}${scale}}`;
    }
    case 'interval':
      return `{interval ${node.spans.map(({ count, unit }) => `${count} ${unit.toLowerCase()}`).join(' ')}}`;
    case 'call':
      return `${node.name}{${node.distinct ? 'distinct ' : ''}${list(node.args)}}`;
    default:
      return queryNodeText(node);
  }
}

export function nodeText(node: SqlNode): string {
  return node.parenthesized ? `(${bareText(node)})` : bareText(node);
}

const named = (alias: string | null): string => (alias === null ? '' : ` as [${alias}]`);
const table = ({ name, alias }: TableName): string => `[${name}]${named(alias)}`;

function selectText(statement: SelectStatement): string {
  const { items, from, joins, where, groupBy, having, orderBy, limit, offset } = statement;
  const orders = orderBy.map(({ of, descending }) => `${nodeText(of)}${descending ? ' desc' : ''}`);
  return [
    statement.explain === 'no' ? '' : `explain ${statement.explain} `,
    `select ${statement.distinct ? 'distinct ' : ''}`,
    items.map(({ of, alias }) => nodeText(of) + named(alias)).join(', '),
    from === null ? '' : ` from ${table(from)}`,
    ...joins.map((join) => ` ${join.kind} join ${table(join.table)} on ${nodeText(join.on)}`),
    where === null ? '' : ` where ${nodeText(where)}`,
    groupBy.length === 0 ? '' : ` group by ${list(groupBy)}`,
    having === null ? '' : ` having ${nodeText(having)}`,
    orderBy.length === 0 ? '' : ` order by ${orders.join(', ')}`,
    limit === null ? '' : ` limit ${limit.count}`,
    offset === 0 ? '' : ` offset ${offset}`,
  ].join('');
}

function returningText({ returning }: WriteStatement): string {
  if (returning === null) return '';
  return ` returning ${returning.map(({ of, alias }) => nodeText(of) + named(alias)).join(', ')}`;
}

function writeText(statement: WriteStatement): string {
  if (statement.is === 'insert-query') {
    const { table, columns, query } = statement;
    const names = columns.map(({ name }) => `[${name}]`).join(', ');
    return `insert [${table.name}](${names}) ${statementText(query)}${returningText(statement)}`;
  }
  if (statement.is === 'insert') {
    const columns = statement.columns.map(({ name }) => `[${name}]`).join(', ');
    const rows = statement.rows.map((row) => `(${list(row)})`).join(', ');
    return `insert into ${table(statement.table)} (${columns}) values ${rows}${returningText(statement)}`;
  }
  const from = statement.from.length === 0 ? '' : ` from ${statement.from.map(fromText).join(', ')}`;
  const condition = statement.where === null ? '' : ` where ${nodeText(statement.where)}`;
  const where = `${from}${condition}${returningText(statement)}`;
  if (statement.is === 'delete') return `delete from ${table(statement.table)}${where}`;
  const set = statement.set.map(({ column, value }) => `[${column}] = ${nodeText(value)}`).join(', ');
  return `update ${table(statement.table)} set ${set}${where}`;
}

export function statementText(statement: ReadStatement | WriteStatement): string {
  if (statement.is === 'query') {
    return `${statement.explain === 'no' ? '' : `explain ${statement.explain} `}query: ${queryText(statement.query)}`;
  }
  return statement.is === 'select' ? selectText(statement) : writeText(statement);
}

export function scriptText(script: Script): string {
  if (script.kind === 'model') return `model: ${JSON.stringify(script.statements)}`;
  return `${script.kind}: ${script.statements.map(statementText).join('; ')}`;
}

/** The error 6000 that `read` throws, as 'line:column message' and the other fields of more_info. */
export function refusalOf(read: () => unknown): string {
  try {
    return `read: ${JSON.stringify(read())}`;
  } catch (error) {
    if (!(error instanceof QuarryError) || error.code !== 6000) return String(error);
    const { message, line, column, ...more } = error.moreInfo as Record<string, unknown>;
    const what = message === error.message ? message : `${message} (${error.message})`;
    return `${line}:${column} ${what}${Object.keys(more).length === 0 ? '' : ` ${JSON.stringify(more)}`}`;
  }
}
