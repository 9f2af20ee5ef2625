/** Counts how often a query names each table, in all of its parts. */
import { lowerCase } from '../../../schema/index.js';
import type { FromItem, Query, QueryBody, SelectBlock, SqlNode, WindowDefinition } from '../../tree.js';
import { nodesOf } from '../nodes.js';

/** The number of uses by name, in lower case. */
export function tableUses(query: Query): ReadonlyMap<string, number> {
  const uses = new Map<string, number>();
  const count = (name: string): void => {
    uses.set(lowerCase(name), (uses.get(lowerCase(name)) ?? 0) + 1);
  };
  const queries = [query];
  for (let next = queries.pop(); next !== undefined; next = queries.pop()) {
    queries.push(...next.tables.map((table) => table.query));
    const nodes: SqlNode[] = next.orderBy.map(({ of }) => of);
    const bodies: QueryBody[] = [next.body];
    for (let body = bodies.pop(); body !== undefined; body = bodies.pop()) {
      if (body.is === 'set') bodies.push(body.left, body.right);
      else if (body.is === 'nested') queries.push(body.query);
      else if (body.is === 'values') nodes.push(...body.rows.flat());
      else {
        nodes.push(...nodesOfBlock(body));
        for (const item of fromItems(body.from)) {
          if (item.is === 'table') count(item.name);
          else if (item.is === 'derived') queries.push(item.query);
          else if (item.on !== null) nodes.push(item.on);
        }
      }
    }
    for (const root of nodes) {
      for (const node of nodesOf(root)) if ('query' in node) queries.push(node.query);
    }
  }
  return uses;
}

function nodesOfBlock(block: SelectBlock): SqlNode[] {
  const groups = block.groupBy.flatMap((element) =>
    element.is === 'key' ? [element.of] : element.sets.flat(),
  );
  const windows = block.windows.flatMap(({ window }) => nodesOfWindow(window));
  const conditions = [block.where, block.having, block.qualify].filter((node) => node !== null);
  const items = block.items.map(({ of }) => of);
  return [...items, ...conditions, ...groups, ...windows, ...(block.distinctOn ?? [])];
}

const nodesOfWindow = ({ partitionBy, orderBy }: WindowDefinition): SqlNode[] => [
  ...partitionBy,
  ...orderBy.map(({ of }) => of),
];

/** The items and those inside joins. */
function fromItems(items: readonly FromItem[]): readonly FromItem[] {
  const all: FromItem[] = [];
  const left = [...items];
  for (let item = left.pop(); item !== undefined; item = left.pop()) {
    all.push(item);
    if (item.is === 'join') left.push(item.left, item.right);
  }
  return all;
}
