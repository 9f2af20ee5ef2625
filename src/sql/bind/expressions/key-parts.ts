/**
 * The keys of GROUP BY, which are found in the expressions of later clauses. AND, OR and || are stored as one list each, so
 * several members of a list may be a key: neighbours in AND and OR, and the first ones in ||, because a || b || c is (a || b) || c.
 */
import { quoted } from '../../../base/index.js';
import { childrenOf, type Expression } from '../../../ir/index.js';
import { sqlError } from '../../sql-error.js';
import type { SourcePosition } from '../../tree.js';
import { keyOf, replaceIn } from './expression-tree.js';

/** A key that is a list. */
interface KeyList {
  readonly operator: string;
  readonly members: readonly string[];
  readonly number: number;
}

/** The expression that reads a key; null = this part is not replaced. */
type ReadKey = (number: number, part: Expression) => Expression | null;

export class KeyParts {
  readonly #byText = new Map<string, number>();
  /** Longest first. */
  readonly #lists: KeyList[] = [];
  /** Node counts of the keys. An expression of another size equals no key, so its text need not be built. */
  readonly #sizes = new Set<number>();
  readonly #sizeOf = new WeakMap<Expression, number>();

  /** The number of a key, in the order in which keys were added; null = the expression is none. */
  find(expression: Expression): number | null {
    return this.#sizes.has(this.#size(expression)) ? (this.#byText.get(keyOf(expression)) ?? null) : null;
  }

  /** Adds a key that is not known yet. */
  add(expression: Expression): void {
    const number = this.#byText.size;
    this.#byText.set(keyOf(expression), number);
    this.#sizes.add(this.#size(expression));
    const list = listOf(expression);
    if (list === null) return;
    this.#lists.push({ operator: list.operator, members: list.members.map(keyOf), number });
    this.#lists.sort((a, b) => b.members.length - a.members.length);
  }

  /** Replaces each key by `read`, and other parts for which `other` returns an expression, outermost first. */
  replaced(
    expression: Expression,
    read: ReadKey,
    other: (part: Expression) => Expression | null,
  ): Expression {
    const over = (whole: Expression): Expression =>
      replaceIn(whole, (part) => {
        const number = this.find(part);
        const key = number === null ? null : read(number, part);
        return key ?? this.#withinList(part, read, over) ?? other(part);
      });
    return over(expression);
  }

  /** A list whose members that are a key together are replaced; null if no key is such a list. */
  #withinList(part: Expression, read: ReadKey, over: (member: Expression) => Expression): Expression | null {
    const list = listOf(part);
    const keys = this.#lists.filter(({ operator }) => operator === list?.operator);
    if (list === null || keys.length === 0) return null;
    const texts = list.members.map(keyOf);
    const members: Expression[] = [];
    for (let at = 0; at < texts.length; ) {
      const isTail = at > 0 && list.operator === 'concat-strict';
      const key = isTail ? undefined : keys.find((one) => begins(one, texts, at));
      const found = key === undefined ? null : read(key.number, part);
      members.push(found ?? over(list.members[at]));
      at += key === undefined || found === null ? 1 : key.members.length;
    }
    return part.op === 'call' ? { ...part, args: members } : ({ ...part, members } as Expression);
  }

  #size(expression: Expression): number {
    let size = this.#sizeOf.get(expression);
    if (size === undefined) {
      size = 1;
      for (const child of childrenOf(expression)) size += this.#size(child);
      this.#sizeOf.set(expression, size);
    }
    return size;
  }
}

const begins = ({ members }: KeyList, texts: readonly string[], at: number): boolean =>
  at + members.length <= texts.length && members.every((text, index) => text === texts[at + index]);

/** The members of an expression that is stored as a list however its parts are nested. */
function listOf(part: Expression): ExpressionList | null {
  if (part.op === 'and' || part.op === 'or') return { operator: part.op, members: part.members };
  const isText = part.op === 'call' && part.name === 'concat-strict';
  return isText ? { operator: part.name, members: part.args } : null;
}

interface ExpressionList {
  readonly operator: string;
  readonly members: readonly Expression[];
}

/** The end of the message for a column that has no single value in a group. */
export const UNGROUPED = 'must be in GROUP BY or in an aggregate';

export const ungrouped = (name: string, position: SourcePosition | null): Error =>
  sqlError(`${quoted(name)} ${UNGROUPED}`, position);
