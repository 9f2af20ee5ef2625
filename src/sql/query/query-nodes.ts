/** Traversal of the expressions of queries. */
import type {
  CommonTable,
  FromItem,
  OrderKey,
  Query,
  QueryBody,
  SelectBlock,
  SqlNode,
  WindowDefinition,
} from '../tree.js';

/** The query inside a node; null if it has none. */
export function queryIn(node: SqlNode): Query | null {
  return node.is === 'subquery' || node.is === 'exists' || node.is === 'in-query' ? node.query : null;
}

/** A SELECT of a query with its expressions, or expressions outside of a SELECT. */
export interface QueryScope {
  /** The SELECT whose tables the expressions read; null for those of VALUES and the order of a set operation. */
  readonly block: SelectBlock | null;
  /** The tables of WITH that it sees. */
  readonly tables: readonly CommonTable[];
  readonly roots: readonly SqlNode[];
}

/** The SELECTs of a query, also in WITH and FROM, but not those in expressions. `visible`: tables of WITH around it. */
export function* scopesOf(query: Query, visible: readonly CommonTable[] = []): Generator<QueryScope> {
  for (const table of query.tables) yield* scopesOf(table.query, visible);
  const tables = query.tables.length === 0 ? visible : [...visible, ...query.tables];
  const keys = expressionsOf(query.orderBy);
  if (query.body.is !== 'block') yield { block: null, tables, roots: keys };
  yield* bodyScopes(query.body, tables, keys);
}

function* bodyScopes(
  body: QueryBody,
  tables: readonly CommonTable[],
  keys: readonly SqlNode[],
): Generator<QueryScope> {
  switch (body.is) {
    case 'nested':
      yield* scopesOf(body.query, tables);
      return;
    case 'values':
      yield { block: null, tables, roots: body.rows.flat() };
      return;
    case 'set':
      yield* bodyScopes(body.left, tables, []);
      yield* bodyScopes(body.right, tables, []);
      return;
    case 'block': {
      for (const query of body.from.flatMap(derivedIn)) yield* scopesOf(query, tables);
      yield { block: body, tables, roots: [...blockNodes(body), ...keys] };
    }
  }
}

function blockNodes(block: SelectBlock): readonly SqlNode[] {
  const { items, distinctOn, from, where, groupBy, having, windows, qualify } = block;
  const grouped = groupBy.flatMap((element) => (element.is === 'key' ? [element.of] : element.sets.flat()));
  return [
    ...items.map(({ of }) => of),
    ...(distinctOn ?? []),
    ...from.flatMap(conditionsIn),
    ...[where, having, qualify].filter((node) => node !== null),
    ...new Set(grouped),
    ...windows.flatMap(({ window }) => windowNodes(window)),
  ];
}

function derivedIn(item: FromItem): readonly Query[] {
  if (item.is === 'join') return [...derivedIn(item.left), ...derivedIn(item.right)];
  return item.is === 'derived' ? [item.query] : [];
}

function conditionsIn(item: FromItem): readonly SqlNode[] {
  if (item.is === 'function') return item.args.filter((argument) => argument.is !== 'interval');
  if (item.is !== 'join') return [];
  const inside = [...conditionsIn(item.left), ...conditionsIn(item.right)];
  return item.on === null ? inside : [...inside, item.on];
}

const expressionsOf = (keys: readonly OrderKey[]): readonly SqlNode[] => keys.map(({ of }) => of);

/** The expressions of a window. */
export function windowNodes({ partitionBy, orderBy, frame }: WindowDefinition): readonly SqlNode[] {
  const edges = frame === null ? [] : [frame.start, frame.end];
  const offsets = edges.flatMap((edge) => ('offset' in edge ? [edge.offset] : []));
  return [...partitionBy, ...expressionsOf(orderBy), ...offsets];
}
