/** Trees of queries as one line, in the manner of sql-tree-text.ts. */
import type {
  FrameClause,
  FrameEdge,
  FromItem,
  GroupingElement,
  OrderKey,
  Query,
  QueryBody,
  SelectBlock,
  SqlNode,
  WindowDefinition,
} from '../../../src/sql/index.js';
import { nodeText } from './sql-tree-text.js';

type QueryNode = Extract<
  SqlNode,
  { readonly is: 'filtered' | 'ordered' | 'over' | 'subquery' | 'exists' | 'in-query' }
>;

const nodes = (list: readonly SqlNode[]): string => list.map(nodeText).join(', ');
const names = (list: readonly string[]): string => list.map((name) => `[${name}]`).join(', ');
const alias = (name: string | null): string => (name === null ? '' : ` as [${name}]`);
const columns = (list: readonly string[] | null): string => (list === null ? '' : `(${names(list)})`);
const clause = (word: string, node: SqlNode | null): string =>
  node === null ? '' : ` ${word} ${nodeText(node)}`;

function keyText({ of, descending, missing }: OrderKey): string {
  return `${nodeText(of)}${descending ? ' desc' : ''}${missing === null ? '' : ` nulls ${missing}`}`;
}

const orderText = (keys: readonly OrderKey[]): string =>
  keys.length === 0 ? '' : ` order by ${keys.map(keyText).join(', ')}`;

const edgeText = (edge: FrameEdge): string =>
  'offset' in edge ? `${nodeText(edge.offset)} ${edge.at}` : edge.at;

function frameText({ mode, start, end, exclude }: FrameClause): string {
  return ` ${mode} from ${edgeText(start)} to ${edgeText(end)}${exclude === null ? '' : ` without ${exclude}`}`;
}

function windowText({ base, partitionBy, orderBy, frame }: WindowDefinition): string {
  const parts = [
    base === null ? '' : ` [${base}]`,
    partitionBy.length === 0 ? '' : ` partition by ${nodes(partitionBy)}`,
    orderText(orderBy),
    frame === null ? '' : frameText(frame),
  ];
  return `(${parts.join('').trimStart()})`;
}

export function queryNodeText(node: QueryNode): string {
  switch (node.is) {
    case 'filtered':
      return `{${nodeText(node.call)}${orderText(node.orderBy ?? [])}${clause('filter', node.where)}}`;
    case 'ordered':
      return `{${nodeText(node.call)}${orderText(node.orderBy)}}`;
    case 'over':
      return `{${nodeText(node.call)}${clause('filter', node.where)} over ${windowText(node.window)}}`;
    case 'subquery':
      return `{${queryText(node.query)}}`;
    case 'exists':
      return `{exists ${queryText(node.query)}}`;
    case 'in-query': {
      const not = node.negated ? 'not ' : '';
      return `{${nodes(node.of)} ${not}${node.comparison} ${node.quantifier} ${queryText(node.query)}}`;
    }
  }
}

export function queryText({ tables, body, orderBy, limit, withTies, offset }: Query): string {
  const common = tables.map(
    ({ name, columnNames, query, recursive }) =>
      `${recursive ? 'recursive ' : ''}[${name}]${columns(columnNames)} as {${queryText(query)}}`,
  );
  return [
    common.length === 0 ? '' : `with ${common.join(', ')} `,
    bodyText(body),
    orderText(orderBy),
    limit === null ? '' : ` limit ${limit.count}`,
    withTies ? ' with ties' : '',
    offset === 0 ? '' : ` offset ${offset}`,
  ].join('');
}

function bodyText(body: QueryBody): string {
  switch (body.is) {
    case 'block':
      return blockText(body);
    case 'values':
      return `values ${body.rows.map((row) => `(${nodes(row)})`).join(', ')}`;
    case 'nested':
      return `{${queryText(body.query)}}`;
    case 'set': {
      const operator = `${body.operator}${body.all ? ' all' : ''}`;
      return `{${bodyText(body.left)} ${operator} ${bodyText(body.right)}}`;
    }
  }
}

function blockText(block: SelectBlock): string {
  const { distinct, distinctOn, items, from, where, groupBy, having, windows, qualify } = block;
  const defined = windows.map(({ name, window }) => `[${name}] as ${windowText(window)}`);
  return [
    'select ',
    distinct ? 'distinct ' : '',
    distinctOn === null ? '' : `on (${nodes(distinctOn)}) `,
    items.map((item) => nodeText(item.of) + alias(item.alias)).join(', '),
    from.length === 0 ? '' : ` from ${from.map(fromText).join(', ')}`,
    clause('where', where),
    groupBy.length === 0 ? '' : ` group by ${groupBy.map(elementText).join(', ')}`,
    clause('having', having),
    defined.length === 0 ? '' : ` window ${defined.join(', ')}`,
    clause('qualify', qualify),
  ].join('');
}

function elementText(element: GroupingElement): string {
  if (element.is === 'key') return nodeText(element.of);
  return `sets (${element.sets.map((set) => `(${nodes(set)})`).join(', ')})`;
}

export function fromText(item: FromItem): string {
  if (item.is === 'table') return `[${item.name}]${alias(item.alias)}${columns(item.columnNames)}`;
  if (item.is === 'derived') {
    const lateral = item.lateral ? 'lateral ' : '';
    return `${lateral}{${queryText(item.query)}}${alias(item.alias)}${columns(item.columnNames)}`;
  }
  if (item.is === 'function') {
    const args = item.args.map(nodeText);
    return `${item.name}{${args.join(', ')}}${alias(item.alias)}${columns(item.columnNames)}`;
  }
  const natural = item.natural ? 'natural ' : '';
  const using = item.using === null ? '' : ` using (${names(item.using.map(({ name }) => name))})`;
  const operator = `${natural}${item.kind} join`;
  return `{${fromText(item.left)} ${operator} ${fromText(item.right)}${clause('on', item.on)}${using}}`;
}
