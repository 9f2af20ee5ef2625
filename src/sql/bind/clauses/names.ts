/**
 * Names the columns of an answer: the alias; the name of a plain column; for an expression its function in upper case, CASE,
 * CAST, or EXPR. If two expressions would have the same name, the function's argument is appended; names that still collide
 * are numbered. Aliases take precedence.
 */
import type { SqlNode } from '../../tree.js';
import { aggregateForm } from '../functions/aggregate-functions.js';
import { type Item, refOf } from './items.js';
import { nameOfRef, type Sources } from './sources.js';

/** Returns one unique name per item. */
export function outputNames(items: readonly Item[], sources: Sources): readonly string[] {
  const short = items.map(shortName);
  const times = new Map<string, number>();
  items.forEach((item, index) => {
    if (isNamed(item)) return;
    times.set(short[index], (times.get(short[index]) ?? 0) + 1);
  });
  const requested = items.map((item, index) => {
    const isRepeated = !isNamed(item) && (times.get(short[index]) ?? 0) > 1;
    return isRepeated ? longName(short[index], item.node, sources) : short[index];
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
const isNamed = ({ alias, ref }: Item): boolean => alias !== null || ref !== null;

function shortName({ alias, ref, node }: Item): string {
  if (alias !== null) return alias;
  return ref === null ? functionName(node) : nameOfRef(ref);
}

function functionName(node: SqlNode): string {
  switch (node.is) {
    case 'call':
      return aggregateForm(node.name)?.label ?? node.name.toUpperCase();
    case 'case':
      return 'CASE';
    case 'cast':
      return node.lenient ? 'TRY_CAST' : 'CAST';
    default:
      return 'EXPR';
  }
}

/** COUNT_age, COUNT_DISTINCT_name: appends the first argument that is a column. */
function longName(short: string, node: SqlNode, sources: Sources): string {
  const args = node.is === 'call' ? node.args : node.is === 'cast' ? [node.of] : [];
  const distinct = node.is === 'call' && node.distinct ? '_DISTINCT' : '';
  for (const argument of args) {
    const ref = refOf(argument, sources);
    if (ref !== null) return `${short}${distinct}_${nameOfRef(ref)}`;
  }
  return `${short}${distinct}`;
}
