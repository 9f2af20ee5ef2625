/**
 * The names of an answer's columns: the alias; a plain column's own name; of an expression its function in upper case, CASE,
 * CAST, or EXPR. Where two expressions would have one name, the function's argument stands behind it; what is still not
 * unique is numbered. Aliases keep their names before all others.
 */
import type { SqlNode } from '../tree.js';
import { aggregateForm } from './aggregate-functions.js';
import { type Item, refOf } from './items.js';
import { nameOfRef, type Sources } from './sources.js';

/** One name per item, no two alike. */
export function outputNames(items: readonly Item[], sources: Sources): readonly string[] {
  const short = items.map(shortName);
  const times = new Map<string, number>();
  items.forEach((item, index) => {
    if (isNamed(item)) return;
    times.set(short[index], (times.get(short[index]) ?? 0) + 1);
  });
  const wanted = items.map((item, index) => {
    const isRepeated = !isNamed(item) && (times.get(short[index]) ?? 0) > 1;
    return isRepeated ? longName(short[index], item.node, sources) : short[index];
  });
  const taken = new Set<string>();
  const names = new Array<string>(items.length);
  const give = (index: number): void => {
    let name = wanted[index];
    for (let number = 2; taken.has(name); number++) name = `${wanted[index]}_${number}`;
    taken.add(name);
    names[index] = name;
  };
  items.forEach(({ alias }, index) => {
    if (alias !== null) give(index);
  });
  items.forEach(({ alias }, index) => {
    if (alias === null) give(index);
  });
  return names;
}

/** Whether its name is one that a column or the statement gives. */
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

/** COUNT_age, COUNT_DISTINCT_name: with the first of the arguments that is a column. */
function longName(short: string, node: SqlNode, sources: Sources): string {
  const args = node.is === 'call' ? node.args : node.is === 'cast' ? [node.of] : [];
  const distinct = node.is === 'call' && node.distinct ? '_DISTINCT' : '';
  for (const argument of args) {
    const ref = refOf(argument, sources);
    if (ref !== null) return `${short}${distinct}_${nameOfRef(ref)}`;
  }
  return `${short}${distinct}`;
}
