/** Random condition lists on attributes and events. */
import type { Prng } from '../../src/base/index.js';
import { ATTRIBUTE_COLUMNS, EVENT_COLUMNS, type GeneratedHistory } from './histories.js';
import type { Condition, Query } from './model/question.js';
import { predicatesOf, textOfInstant } from './random-parts.js';

function conditionOf(prng: Prng, world: GeneratedHistory): Condition {
  if (prng.chance(0.1)) {
    const ids = world.history.entities.filter(() => prng.chance(0.5)).map(({ id }) => id);
    return { 'entity-id': { in: ['e0', ...ids] } };
  }
  if (prng.chance(0.6)) {
    const column = prng.pick(ATTRIBUTE_COLUMNS);
    return { [column]: column === 'vip' ? { equals: prng.chance(0.5) } : attributePredicates(prng, column) };
  }
  const column = prng.pick(Object.keys(EVENT_COLUMNS));
  const between = [textOfInstant(prng, world), textOfInstant(prng, world)];
  const minfreq = prng.chance(0.2) && { minfreq: prng.between(1, 3) };
  return { [column]: { ...predicatesOf(prng, column), between, ...minfreq } };
}

const attributePredicates = (prng: Prng, column: string) =>
  column === 'joined' ? { [prng.pick(['equals', 'gt', 'lte'])]: '2024-01-01' } : predicatesOf(prng, column);

/** A list of one to three conditions, some of them negated or in parentheses. */
export function randomQuery(prng: Prng, world: GeneratedHistory, depth = 1): Query {
  const operand = (): Condition | Query => {
    const isNested = depth > 0 && prng.chance(0.2);
    const one = isNested ? randomQuery(prng, world, depth - 1) : conditionOf(prng, world);
    return prng.chance(0.15) ? ['not', one] : one;
  };
  const list: Query[number][] = [operand()];
  for (let more = prng.pick([0, 0, 1, 2]); more > 0; more--) {
    list.push(prng.pick(['and', 'or'] as const), operand());
  }
  return list;
}
