/** The groups of a breakdown. */
import { compareTexts, type Entity, textOf } from './history.js';
import type { Breakdown } from './question.js';

const LIMIT_DEFAULT = 10;

/** What is counted, and the values under which it counts; none = it has no value. */
export interface Keyed<T> {
  readonly item: T;
  readonly keys: readonly string[];
}

export interface Group<T> {
  readonly label: { readonly value: string | null } | { readonly others: true };
  readonly items: readonly T[];
}

/** The entity's values of an attribute column, as texts. */
export function attributeKeys(entity: Entity, column: string): string[] {
  const value = entity.attributes.get(column);
  if (value === undefined) return [];
  const values = Array.isArray(value) ? value : [value];
  return [...new Set(values.map(textOf))];
}

/** The most frequent values, then the others, then what has no value; empty groups are left out. */
export function groupsOf<T>(keyed: readonly Keyed<T>[], { limit = LIMIT_DEFAULT }: Breakdown): Group<T>[] {
  const counts = new Map<string, number>();
  for (const { keys } of keyed) for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  const top = [...counts]
    .sort(([a, countA], [b, countB]) => countB - countA || compareTexts(a, b))
    .slice(0, limit)
    .map(([key]) => key);
  const having = (test: (keys: readonly string[]) => boolean): T[] =>
    keyed.filter(({ keys }) => test(keys)).map(({ item }) => item);
  const groups: Group<T>[] = [
    ...top.map((value) => ({ label: { value }, items: having((keys) => keys.includes(value)) })),
    { label: { others: true }, items: having((keys) => keys.some((key) => !top.includes(key))) },
    { label: { value: null }, items: having((keys) => keys.length === 0) },
  ];
  return groups.filter(({ items }) => items.length > 0);
}
