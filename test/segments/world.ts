/** Entities with their members of segments as the interface describes them, for comparison with a server. */
import type { Prng } from '../../src/base/index.js';

export interface Visit {
  readonly value: string;
  /** Day of January 2024, from 1. */
  readonly day: number;
}

export interface Entity {
  age?: number;
  country?: string;
  visits: Visit[];
}

export type List = readonly (Condition | 'and' | 'or' | 'not' | List)[];
export type Condition =
  | { readonly age: { readonly gte: number } }
  | { readonly country: { readonly equals: string } }
  | { readonly 'entity-id': { readonly 'starts-with': string } }
  | {
      readonly visit: {
        readonly equals: string;
        readonly between: readonly [string, string];
        readonly minfreq: number;
      };
    }
  | { readonly funnel: { readonly steps: readonly { readonly event: object }[]; readonly reached: 2 } }
  | { readonly segment: string };

export type Segment = { readonly query: List } | { readonly ids: Set<string> };

export const COUNTRIES = ['fr', 'de', 'it'];
export const PAGES = ['a', 'b', 'c'];
export const DAYS = 20;
const dateOf = (day: number): string => `2024-01-${String(day).padStart(2, '0')}`;

/** What the server should contain. */
export class World {
  readonly entities = new Map<string, Entity>();
  readonly segments = new Map<string, Segment>();
  readonly #prng: Prng;

  constructor(prng: Prng) {
    this.#prng = prng;
  }

  idOf(at: number): string {
    return `u${at}`;
  }

  /** The body of an insert of one entity, which is stored. */
  insert(id: string): object {
    const prng = this.#prng;
    const entity = this.entities.get(id) ?? { visits: [] };
    this.entities.set(id, entity);
    const visits = Array.from({ length: prng.between(0, 3) }, () => this.#visit());
    entity.visits.push(...visits);
    const age = prng.chance(0.6) ? prng.between(1, 60) : undefined;
    const country = prng.chance(0.6) || age === undefined ? prng.pick(COUNTRIES) : undefined;
    if (age !== undefined) entity.age = age;
    if (country !== undefined) entity.country = country;
    const visit = visits.map(({ value, day }) => ({ value, date: dateOf(day) }));
    return { age, country, ...(visit.length === 0 ? {} : { visit }) };
  }

  #visit(): Visit {
    return { value: this.#prng.pick(PAGES), day: this.#prng.between(1, DAYS) };
  }

  /** A list of conditions, which may name the segments `names`. */
  list(names: readonly string[], depth = 0): List {
    const prng = this.#prng;
    const operand = (): Condition | List =>
      depth < 2 && prng.chance(0.25) ? this.list(names, depth + 1) : this.#condition(names);
    const list: List[number][] = prng.chance(0.3) ? ['not', operand()] : [operand()];
    while (prng.chance(0.4)) list.push(prng.pick(['and', 'or'] as const), operand());
    return list;
  }

  #condition(names: readonly string[]): Condition {
    const prng = this.#prng;
    if (names.length > 0 && prng.chance(0.45)) return { segment: prng.pick(names) };
    switch (prng.below(5)) {
      case 0:
        return { age: { gte: prng.between(1, 60) } };
      case 1:
        return { country: { equals: prng.pick(COUNTRIES) } };
      case 2:
        return { 'entity-id': { 'starts-with': `u${prng.between(1, 9)}` } };
      case 3: {
        const [from, to] = [prng.between(1, DAYS), prng.between(1, DAYS)].sort((a, b) => a - b);
        const between = [dateOf(from), dateOf(to)] as const;
        return { visit: { equals: prng.pick(PAGES), between, minfreq: prng.between(1, 2) } };
      }
      default: {
        const steps = [prng.pick(PAGES), prng.pick(PAGES)].map((value) => ({
          event: { visit: { equals: value } },
        }));
        return { funnel: { steps, reached: 2 } };
      }
    }
  }

  /** The IDs of the members, ascending. */
  members(list: List): string[] {
    return [...this.entities.keys()].filter((id) => this.#truthOf(list, id) === true).sort();
  }

  #truthOf(list: List, id: string): boolean | null {
    let any: boolean | null = false;
    let all: boolean | null = true;
    let negates = false;
    for (const one of list) {
      if (one === 'not') negates = true;
      else if (one === 'or') {
        any = or(any, all);
        all = true;
      } else if (one !== 'and') {
        const truth = isList(one) ? this.#truthOf(one, id) : this.#holds(one, id);
        all = and(all, negates && truth !== null ? !truth : truth);
        negates = false;
      }
    }
    return or(any, all);
  }

  #holds(condition: Condition, id: string): boolean | null {
    const { age, country, visits } = this.entities.get(id) as Entity;
    if ('age' in condition) return age === undefined ? null : age >= condition.age.gte;
    if ('country' in condition) return country === undefined ? null : country === condition.country.equals;
    if ('entity-id' in condition) return id.startsWith(condition['entity-id']['starts-with']);
    if ('segment' in condition) return this.isMember(condition.segment, id);
    if ('visit' in condition) {
      const { equals, between, minfreq } = condition.visit;
      if (visits.length === 0) return null;
      const found = visits.filter(
        ({ value, day }) => value === equals && dateOf(day) >= between[0] && dateOf(day) <= between[1],
      );
      return found.length >= minfreq;
    }
    const [first, second] = condition.funnel.steps.map(({ event }) => pageOf(event));
    return visits.some(
      (one, at) =>
        one.value === first &&
        visits.some((other, index) => index !== at && other.value === second && other.day >= one.day),
    );
  }

  isMember(name: string, id: string): boolean {
    const segment = this.segments.get(name) as Segment;
    return 'ids' in segment ? segment.ids.has(id) : this.#truthOf(segment.query, id) === true;
  }
}

const isList = (one: List[number]): one is List => Array.isArray(one);
const pageOf = (event: object): string => (event as { visit: { equals: string } }).visit.equals;

function and(a: boolean | null, b: boolean | null): boolean | null {
  if (a === false || b === false) return false;
  return a === null || b === null ? null : true;
}

function or(a: boolean | null, b: boolean | null): boolean | null {
  if (a === true || b === true) return true;
  return a === null || b === null ? null : false;
}
