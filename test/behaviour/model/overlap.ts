/** Overlaps: which of several segments entities are in. */
import { compareTexts, type History } from './history.js';
import type { Query, Shared } from './question.js';

export interface OverlapFields extends Shared {
  readonly segments: readonly { readonly name: string; readonly query: Query }[];
}

function compareNames(a: readonly string[], b: readonly string[]): number {
  const at = a.findIndex((name, index) => name !== b[index]);
  if (at === -1) return a.length - b.length;
  return at >= b.length ? 1 : compareTexts(a[at], b[at]);
}

export function answerOverlap({ segments, query }: OverlapFields, history: History): unknown {
  const combinations = new Map<string, { in: readonly string[]; count: number }>();
  const memberships = history.entities
    .filter((entity) => history.satisfies(query, entity))
    .map((entity) => segments.filter((segment) => history.satisfies(segment.query, entity)))
    .map((some) => some.map(({ name }) => name));
  for (const names of memberships) {
    const count = (combinations.get(names.join('\0'))?.count ?? 0) + 1;
    if (names.length > 0) combinations.set(names.join('\0'), { in: names, count });
  }
  return {
    segments: segments.map(({ name }) => ({
      name,
      count: memberships.filter((names) => names.includes(name)).length,
    })),
    combinations: [...combinations.values()].sort((a, b) => b.count - a.count || compareNames(a.in, b.in)),
  };
}
