/**
 * Generated SELECTs over a world: of rows, of groups, of one group, of each entity, over events, with and without
 * joins.
 */
import type { Prng } from '../../src/base/index.js';
import { BOOLEAN, type Piece, piece, same } from '../support/sql/sql-piece.js';
import type { World } from '../support/sql/sql-world.js';
import { aggregateOf, COUNT_ROWS } from './sql-aggregates.js';
import { EventStatements } from './sql-event-statements.js';
import { eventCondition } from './sql-events.js';
import type { OrderKey, Select } from './sql-select.js';
import { type Source, sourceOf } from './sql-source.js';
import { Values } from './sql-values.js';

/** WHERE: conditions on attributes and, if the first table has events, on events. */
export function whereOf(prng: Prng, values: Values, source: Source, depth: number): Piece {
  if (depth > 0 && prng.chance(0.5)) {
    const word = prng.pick(['AND', 'OR']);
    const members = Array.from({ length: prng.between(2, 3) }, () =>
      whereOf(prng, values, source, depth - 1),
    );
    const list = members.map((_, index) => `$${index}`).join(` ${word} `);
    return piece(BOOLEAN, same(`(${list})`), members);
  }
  if (depth > 0 && prng.chance(0.15)) {
    return piece(BOOLEAN, same('(NOT $0)'), [whereOf(prng, values, source, depth - 1)]);
  }
  if (prng.chance(0.2)) return eventCondition(prng, source);
  return values.predicate(prng.pick([0, 1, 1, 2]));
}

function maybeWhere(prng: Prng, values: Values, source: Source): Piece | null {
  return prng.chance(0.5) ? whereOf(prng, values, source, prng.pick([0, 0, 1, 2, 3])) : null;
}

export const maybeBounds = (prng: Prng): Pick<Select, 'limit' | 'offset'> => ({
  limit: prng.chance(0.4) ? prng.pick([1, 3, 10, 10, 50, 0]) : null,
  offset: prng.chance(0.2) ? prng.pick([1, 2, 7, 7, 400]) : 0,
});
const UNBOUND: Pick<Select, 'limit' | 'offset'> = { limit: null, offset: 0 };

export const EMPTY = {
  bound: false,
  star: false,
  groupBy: [],
  groupBeside: null,
  having: null,
  havingBeside: null,
  order: [],
  total: false,
};

/** Every item once, in random order: rows that compare as equal are equal. */
export function orderOfItems(prng: Prng, items: readonly Piece[], aliases: readonly boolean[]): OrderKey[] {
  const left = items.map((of, item) => ({ of, item }));
  const keys: OrderKey[] = [];
  while (left.length > 0) {
    const [{ of, item }] = left.splice(prng.below(left.length), 1);
    const by = aliases[item] && prng.chance(0.4) ? 'alias' : 'number';
    keys.push({ of, item, descending: prng.chance(0.4), by });
  }
  return keys;
}

export const orderable = (items: readonly Piece[]): boolean =>
  items.every(({ type, tame, firm }) => firm && type !== 'json' && (type !== 'text' || tame));

export class Statements {
  readonly prng: Prng;
  readonly #world: World;

  constructor(prng: Prng, world: World) {
    this.prng = prng;
    this.#world = world;
  }

  any(): Select {
    const { prng } = this;
    const draw = prng.unit();
    if (draw < 0.02) return this.#withoutTable();
    if (draw < 0.06) return this.#everything();
    if (draw < 0.3) return this.rows();
    if (draw < 0.6) return this.groups();
    if (draw < 0.8) return new EventStatements(prng, this.#world).any();
    if (draw < 0.92) return this.one();
    return this.entities();
  }

  #withoutTable(): Select {
    const values = new Values(this.prng, []);
    const items = Array.from({ length: this.prng.between(1, 3) }, () => values.any(3));
    const where = this.prng.chance(0.3) ? values.condition(1) : null;
    return {
      ...EMPTY,
      ...UNBOUND,
      distinct: false,
      items,
      aliases: items.map(() => true),
      from: same(''),
      where,
    };
  }

  /** SELECT * of the first table: its columns in their order, and the score. */
  #everything(): Select {
    const { prng } = this;
    const source = sourceOf(prng, [this.#world[0]]);
    const values = new Values(prng, source.columns);
    const columns = [source.id, ...source.columns.filter((column) => column !== source.id)];
    const star = columns.map((column, at) => ({
      ...column,
      forms: { ...column.forms, quarry: at === 0 ? '*' : '' },
    }));
    return {
      ...EMPTY,
      ...UNBOUND,
      distinct: false,
      items: star,
      aliases: star.map(() => false),
      from: source.from,
      where: maybeWhere(prng, values, source),
      star: true,
    };
  }

  rows(): Select {
    const { prng } = this;
    const source = sourceOf(prng, this.#world);
    const values = new Values(prng, source.columns);
    const distinct = prng.chance(0.2);
    const count = prng.between(1, distinct ? 2 : 4);
    const items = Array.from({ length: count }, () => {
      const plain = prng.chance(0.4) ? prng.pick(source.columns) : values.any(prng.pick([1, 2, 3]));
      return distinct && (!plain.firm || plain.type === 'json') ? values.firm(0) : plain;
    });
    const aliases = items.map(() => prng.chance(0.5));
    const base = {
      ...EMPTY,
      distinct,
      items,
      aliases,
      from: source.from,
      where: maybeWhere(prng, values, source),
    };
    if (orderable(items) && prng.chance(distinct ? 0.8 : 0.3)) {
      return { ...base, order: orderOfItems(prng, items, aliases), ...maybeBounds(prng), total: true };
    }
    if (distinct || prng.chance(0.3)) return { ...base, ...UNBOUND };
    const last: OrderKey = { of: source.id, descending: prng.chance(0.3), item: null, by: 'expression' };
    const keys = Array.from({ length: prng.below(3) }, (): OrderKey => {
      const of = values.firm(prng.pick([0, 0, 1, 2]));
      return {
        of: readsColumns(of, source.columns) ? of : source.id,
        descending: prng.chance(0.5),
        item: null,
        by: 'expression',
      };
    });
    return { ...base, order: [...keys, last], ...maybeBounds(prng), total: true };
  }

  #aggregates(values: Values, count: number): Piece[] {
    const { prng } = this;
    const found: Piece[] = prng.chance(0.5) ? [COUNT_ROWS] : [];
    for (let tries = 0; found.length < count && tries < 30; tries++) {
      const of = values.any(prng.pick([0, 0, 0, 1, 2]));
      const made = of.type === 'json' ? null : aggregateOf(prng, of);
      if (made !== null) found.push(made);
    }
    return found.length === 0 ? [COUNT_ROWS] : found;
  }

  groups(): Select {
    const { prng } = this;
    const source = sourceOf(prng, this.#world);
    const values = new Values(prng, source.columns);
    const few = source.columns.filter(
      ({ type, digits }) => type !== 'json' && digits < 10 && type !== 'float',
    );
    const keys = Array.from({ length: prng.pick([1, 1, 2, 3]) }, () => {
      const made = prng.chance(0.6) ? prng.pick(few) : values.firm(prng.pick([1, 2]));
      return readsColumns(made, source.columns) && made.firm ? made : prng.pick(few);
    });
    return this.#grouped(source, values, keys, this.#aggregates(values, prng.between(1, 4)), null);
  }

  #grouped(
    source: Source,
    values: Values,
    keys: readonly Piece[],
    aggregates: readonly Piece[],
    groupBeside: string | null,
  ): Select {
    const { prng } = this;
    const behind = new Values(prng, [...keys, ...aggregates]);
    const shown = keys.filter(() => prng.chance(0.85));
    const items = [
      ...shown,
      ...aggregates.map((aggregate) => (prng.chance(0.7) ? aggregate : behind.any(prng.pick([1, 2])))),
    ];
    const aliases = items.map(() => prng.chance(0.5));
    const condition = prng.chance(0.25) ? behind.condition(prng.pick([0, 1, 2])) : null;
    // Without other groups, HAVING would be invalid.
    const makesGroups = groupBeside === null || items.some((item) => readsColumns(item, aggregates));
    const having = makesGroups ? condition : null;
    const base = {
      ...{
        ...EMPTY,
        distinct: false,
        items,
        aliases,
        from: source.from,
        where: maybeWhere(prng, values, source),
      },
      ...{ groupBy: groupBeside === null ? keys : [], groupBeside, having },
    };
    if (orderable(items) && prng.chance(0.4)) {
      return { ...base, order: orderOfItems(prng, items, aliases), ...maybeBounds(prng), total: true };
    }
    if (groupBeside !== null || !orderable(keys) || prng.chance(0.3)) return { ...base, ...UNBOUND };
    // No two groups have the same keys.
    const sorted = [
      ...Array.from({ length: prng.between(1, 2) }, () => behind.firm(prng.pick([0, 1, 2]))),
      ...keys,
    ];
    const order = sorted
      .filter((of) => readsColumns(of, behind.leaves))
      .map((of): OrderKey => ({ of, item: null, by: 'expression', descending: prng.chance(0.5) }));
    return { ...base, order, ...maybeBounds(prng), total: true };
  }

  /** All rows are one group. */
  one(): Select {
    const { prng } = this;
    const source = sourceOf(prng, this.#world);
    const values = new Values(prng, source.columns);
    const aggregates = this.#aggregates(values, prng.between(1, 5));
    const behind = new Values(prng, aggregates);
    const items = aggregates.map((aggregate) => {
      const made = prng.chance(0.7) ? aggregate : behind.any(2);
      return readsColumns(made, aggregates) ? made : aggregate;
    });
    const having = prng.chance(0.15) ? behind.condition(1) : null;
    const aliases = items.map(() => prng.chance(0.5));
    return {
      ...EMPTY,
      ...UNBOUND,
      distinct: false,
      items,
      aliases,
      from: source.from,
      where: maybeWhere(prng, values, source),
      having,
    };
  }

  /** Aggregates together with columns: every entity is a group. */
  entities(): Select {
    const { prng } = this;
    const source = sourceOf(prng, this.#world);
    const values = new Values(prng, source.columns);
    const plain = source.columns.filter(({ type }) => type !== 'json');
    const keys = [prng.pick(plain), ...(prng.chance(0.5) ? [values.firm(1)] : [])];
    const beside = source.columns.map(({ forms: { duck } }) => duck).join(', ');
    const made = this.#grouped(source, values, keys, this.#aggregates(values, 2), beside);
    return made.items.includes(keys[0])
      ? made
      : {
          ...made,
          items: [keys[0], ...made.items],
          aliases: [false, ...made.aliases],
          order: [],
          ...UNBOUND,
          total: false,
        };
  }
}

export function readsColumns(of: Piece, columns: readonly Piece[]): boolean {
  return columns.includes(of) || of.parts.some((part) => readsColumns(part, columns));
}
