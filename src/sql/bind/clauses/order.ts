/** Binds the keys of GROUP BY and ORDER BY: the number of an answer's column, an alias, or any expression. */
import { quoted } from '../../../base/index.js';
import { BOOLEAN, type Expression } from '../../../ir/index.js';
import { lowerCase } from '../../../schema/index.js';
import { sqlError } from '../../sql-error.js';
import type { SelectStatement, SqlNode } from '../../tree.js';
import { checkCount, GROUP_KEYS_MAX, SORT_KEYS_MAX } from '../bounds.js';
import { keyOf } from '../expressions/expression-tree.js';
import type { NodeOf } from '../scope.js';
import { aliasesOf, type Item, refOf } from './items.js';
import type { Sources } from './sources.js';

export interface BoundOrder {
  /** The key as an output expression. */
  readonly of: Expression;
  readonly descending: boolean;
  /** The key as written in ORDER BY. */
  readonly written: Expression;
  readonly node: SqlNode;
}

/** The item index for a number in ORDER BY or GROUP BY; null if the node is not a number. Throws 6000 if it is out of range. */
export function itemIndexOf(node: SqlNode, itemCount: number, clause: string): number | null {
  if (node.is !== 'number') return null;
  const ordinal = /^\d{1,9}$/.test(node.text) ? Number(node.text) : 0;
  if (ordinal >= 1 && ordinal <= itemCount) return ordinal - 1;
  throw sqlError(`${clause} ${quoted(node.text)}: SELECT has the columns 1 to ${itemCount}`, node.position);
}

/** A key of GROUP BY as written, or the item of SELECT that its number or alias refers to. */
export interface GroupNode {
  readonly node: SqlNode;
  readonly item: number | null;
}

/** Throws 6000. */
export function groupNodes(
  groupBy: readonly SqlNode[],
  items: readonly Item[],
  sources: Sources,
): readonly GroupNode[] {
  const aliases = aliasesOf(items);
  return groupBy.map((node, index) => {
    checkCount(index + 1, GROUP_KEYS_MAX, 'keys in GROUP BY', node.position);
    const itemIndex = itemIndexOf(node, items.length, 'GROUP BY');
    const isAlias = isName(node) && refOf(node, sources) === null;
    const item = itemIndex ?? (isAlias ? (aliases.get(lowerCase(nameIn(node))) ?? null) : null);
    return item === null ? { node, item } : { node: items[item].node, item };
  });
}

/** The item of SELECT whose generated name equals a node of ORDER BY that is neither column nor alias; null = none. */
export function itemNamed(
  node: SqlNode,
  names: readonly string[],
  items: readonly Item[],
  sources: Sources,
): number | null {
  if (!isName(node) || refOf(node, sources) !== null || aliasesOf(items).has(lowerCase(nameIn(node))))
    return null;
  const at = names.findIndex((name) => lowerCase(name) === lowerCase(nameIn(node)));
  return at === -1 ? null : at;
}

/**
 * The output that a node of ORDER BY names; PostgreSQL prefers it to a column of FROM. null = none. Throws 6000
 * if different outputs have it.
 */
export function outputNamed(
  node: SqlNode,
  names: readonly string[],
  outputs: readonly Expression[],
): Expression | null {
  if (!isName(node)) return null;
  const found = outputs.filter((_of, index) => lowerCase(names[index]) === lowerCase(nameIn(node)));
  const [first] = found;
  if (first === undefined) return null;
  if (found.every((of) => keyOf(of) === keyOf(first))) return first;
  const what = `two columns of the answer are called ${quoted(nameIn(node))}; give one an alias`;
  throw sqlError(what, node.position);
}

type Name = NodeOf<'column'> | NodeOf<'string'>;

function isName(node: SqlNode): node is Name {
  return node.is === 'column' ? node.table === null : node.is === 'string' && node.quotes === 'double';
}

const nameIn = (node: Name): string => (node.is === 'column' ? node.name : node.text);

/**
 * Binds ORDER BY; constant keys are omitted, and NULLS FIRST becomes a key of its own, because a plan sorts missing values
 * last. `outputs` has one expression per item; `isPresent`: whether an expression is never missing. Throws 6000.
 */
export function bindOrder(
  orderBy: SelectStatement['orderBy'],
  outputs: readonly Expression[],
  bind: (node: SqlNode) => Expression,
  isPresent: (of: Expression) => boolean,
): readonly BoundOrder[] {
  return orderBy.flatMap(({ of: node, descending, missing }, index) => {
    checkCount(index + 1, SORT_KEYS_MAX, 'keys in ORDER BY', node.position);
    const itemIndex = itemIndexOf(node, outputs.length, 'ORDER BY');
    const of = itemIndex === null ? bind(node) : outputs[itemIndex];
    if (of.type.type === 'json') throw sqlError('lists and points have no order', node.position);
    if (of.op === 'constant') return [];
    const key = { of, descending, written: of, node };
    return missing === 'first' && !isPresent(of)
      ? [{ ...key, of: isMissing(of), descending: true }, key]
      : [key];
  });
}

const isMissing = (of: Expression): Expression => ({ op: 'is-null', type: BOOLEAN, of, negated: false });
