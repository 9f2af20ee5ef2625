/**
 * Names the columns of an answer: the alias; the name of a plain column; for an expression its function in upper case, CASE,
 * CAST, or EXPR. If two expressions would have the same name, the function's argument is appended; names that still collide
 * are numbered. Aliases take precedence.
 */
import type { SqlNode } from '../../tree.js';
import { aggregateForm } from '../functions/aggregate-functions.js';
import type { SqlDialect } from '../request.js';
import { postgresName } from './postgres-names.js';

/** An item of SELECT, as far as its name depends on it. */
export interface NamedItem {
  readonly alias: string | null;
  /** The name of the column if the item is a plain column, otherwise null. */
  readonly columnName: string | null;
  /** null = a column of `*`. */
  readonly node: SqlNode | null;
}

/**
 * Returns one name per item, unique unless the dialect is PostgreSQL's. `columnNameOf`: the name of a node that is a plain
 * column, otherwise null.
 */
export function outputNames(
  items: readonly NamedItem[],
  columnNameOf: (node: SqlNode) => string | null,
  dialect: SqlDialect = 'http',
): readonly string[] {
  if (dialect === 'postgres') {
    return items.map(
      ({ alias, columnName, node }) =>
        alias ?? columnName ?? (node === null ? '' : postgresName(node, columnNameOf)),
    );
  }
  const short = items.map(shortName);
  const times = new Map<string, number>();
  items.forEach((item, index) => {
    if (isNamed(item)) return;
    times.set(short[index], (times.get(short[index]) ?? 0) + 1);
  });
  const requested = items.map((item, index) => {
    const isRepeated = !isNamed(item) && (times.get(short[index]) ?? 0) > 1;
    return isRepeated && item.node !== null ? longName(short[index], item.node, columnNameOf) : short[index];
  });
  const taken = new Set<string>();
  const names = new Array<string>(items.length);
  const assign = (index: number): void => {
    let name = requested[index];
    for (let number = 2; taken.has(name); number++) name = `${requested[index]}_${number}`;
    taken.add(name);
    names[index] = name;
  };
  items.forEach(({ alias }, index) => {
    if (alias !== null) assign(index);
  });
  items.forEach(({ alias }, index) => {
    if (alias === null) assign(index);
  });
  return names;
}

/** Whether the name comes from an alias or a column. */
const isNamed = ({ alias, columnName }: NamedItem): boolean => alias !== null || columnName !== null;

const shortName = ({ alias, columnName, node }: NamedItem): string =>
  alias ?? columnName ?? (node === null ? 'EXPR' : functionName(node));

function functionName(node: SqlNode): string {
  switch (node.is) {
    case 'call':
      return (
        aggregateForm(node.name)?.label ?? node.name.replace(/^window_|(?<=^array) rows$/, '').toUpperCase()
      );
    case 'over':
    case 'filtered':
    case 'ordered':
      return functionName(node.call);
    case 'case':
      return 'CASE';
    case 'cast':
      return node.lenient ? 'TRY_CAST' : 'CAST';
    case 'exists':
      return 'EXISTS';
    default:
      return 'EXPR';
  }
}

/** COUNT_age, COUNT_DISTINCT_name: appends the first argument that is a column. */
function longName(short: string, node: SqlNode, columnNameOf: (node: SqlNode) => string | null): string {
  const args = node.is === 'call' ? node.args : node.is === 'cast' ? [node.of] : [];
  const distinct = node.is === 'call' && node.distinct ? '_DISTINCT' : '';
  for (const argument of args) {
    const name = columnNameOf(argument);
    if (name !== null) return `${short}${distinct}_${name}`;
  }
  return `${short}${distinct}`;
}
