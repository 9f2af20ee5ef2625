/**
 * Generated SELECTs over events: aggregates over the events of groups of entities (`feeds`), rows that are events, and
 * HAVING COUNT of events, which is evaluated per entity. Other engines have the events in tables or collected in lists.
 */
import type { Prng } from '../../src/base/index.js';
import { DATETIME, forms, type Piece, type Printed, piece } from '../support/sql/sql-piece.js';
import type { EventColumn, Table, World } from '../support/sql/sql-world.js';
import { aggregateOf, COUNT_ROWS, type Feed } from './sql-aggregates.js';
import { type EventTests, eventTests } from './sql-events.js';
import type { Select } from './sql-select.js';
import { type Source, sourceOf } from './sql-source.js';
import { EMPTY, maybeBounds, orderable, orderOfItems, readsColumns } from './sql-statements.js';
import { Values } from './sql-values.js';

/** WHERE and HAVING of Quarry, and WHERE of DuckDB with `exists` for the tests. */
interface EventCondition {
  readonly where: Piece | null;
  readonly havingBeside: string | null;
}

const INTERVALS = [
  ['seconds', 'second'],
  ['minutes', 'minute'],
  ['hours', 'hour'],
  ['days', 'day'],
  ['weeks', 'week'],
  ['months', 'month'],
] as const;

/** FROM of a source in which another table expression replaces the first table of the other engines. */
function replaced({ from, table }: Source, first: string): Printed {
  return forms(
    from.quarry,
    from.duck.replace(`"${table.name}" AS f`, () => first),
  );
}

export class EventStatements {
  readonly prng: Prng;
  readonly #table: Table;
  readonly #world: World;

  constructor(prng: Prng, world: World) {
    this.prng = prng;
    this.#table = world[0];
    this.#world = world;
  }

  any(): Select {
    const draw = this.prng.unit();
    if (draw < 0.4) return this.#feeds();
    if (draw < 0.6) return this.#counted();
    return draw < 0.8 ? this.#eventGroups() : this.#eventRows();
  }

  /** Conditions on the event as members of the top list, with a condition on attributes. Some are in HAVING. */
  #condition(tests: EventTests | null, exists: string, values: Values): EventCondition {
    const { prng } = this;
    const beside = prng.chance(0.4) ? values.condition(prng.pick([0, 1, 2])) : null;
    const written = tests?.quarry ?? [];
    const moved = written.filter((test) => test.includes('.date]') && prng.chance(0.3));
    const retained = written.filter((test) => !moved.includes(test));
    const quarry = [...retained, ...(beside === null ? [] : ['$0'])];
    if (prng.chance(0.5)) quarry.reverse();
    const duck = [...(tests === null ? [] : [exists]), ...(beside === null ? [] : ['$0'])];
    const havingBeside = moved.length === 0 ? null : moved.join(' AND ');
    if (duck.length === 0) return { where: null, havingBeside };
    const forThem = forms(quarry.length === 0 ? 'TRUE' : quarry.join(' AND '), duck.join(' AND '));
    const where = piece({ ...DATETIME, type: 'boolean' }, forThem, beside === null ? [] : [beside]);
    return { where, havingBeside };
  }

  /** The first table, with the passing events of up to two columns as lists f.feed0, f.feed1 of {v, d}. */
  #gathered(
    event: EventColumn,
    tests: EventTests | null,
    source: Source,
  ): { readonly from: Printed; readonly feed: Feed } {
    const { name } = this.#table;
    const passing = tests === null ? '' : tests.duck.map((test) => ` AND ${test}`).join('');
    const list = `(SELECT list({'v': e.value, 'd': e.date}) FROM "${name}_${event.name}" e WHERE e.id = x."entity-id"${passing})`;
    const from = replaced(source, `(SELECT *, ${list} AS feed FROM "${name}" x) AS f`);
    return { from, feed: { list: (of) => `flatten(list(list_transform(f.feed, lambda s: ${of})))` } };
  }

  #eventPieces({ name, kind }: EventColumn, value: string, date: string): Piece[] {
    return [piece(kind, forms(`[${name}.value]`, value)), piece(DATETIME, forms(`[${name}.date]`, date))];
  }

  #aggregates(values: Values, count: number, feedOf: (of: Piece) => Feed): Piece[] {
    const { prng } = this;
    const found: Piece[] = [];
    for (let tries = 0; found.length < count && tries < 30; tries++) {
      const of = values.firm(prng.pick([0, 0, 1]));
      const made =
        of.type === 'json' || !readsColumns(of, values.leaves) ? null : aggregateOf(prng, of, feedOf(of));
      if (made !== null) found.push(made);
    }
    return found;
  }

  #tests(event: EventColumn): EventTests | null {
    return this.prng.chance(0.6) ? eventTests(this.prng, event, this.prng.chance(0.3)) : null;
  }

  /** Aggregates over events together with aggregates over attributes: by attributes, over all rows, or per entity. */
  #feeds(): Select {
    const { prng } = this;
    const event = prng.pick(this.#table.events);
    const tests = this.#tests(event);
    const source = sourceOf(prng, this.#world);
    const { from, feed } = this.#gathered(event, tests, source);
    const values = new Values(prng, source.columns);
    const ofEvents = new Values(prng, this.#eventPieces(event, 's.v', 's.d'));
    const condition = this.#condition(tests, 'len(f.feed) > 0', values);
    const shape = prng.pick(['keys', 'one', 'entities'] as const);
    const aggregates = [
      ...this.#aggregates(ofEvents, prng.between(1, 3), () => feed),
      ...(prng.chance(0.5) ? [COUNT_ROWS] : []),
      ...(prng.chance(0.5) ? this.#aggregates(values, 1, () => ({ list: null })) : []),
    ];
    const few = source.columns.filter(({ type, digits }) => type !== 'json' && digits < 10);
    const keys = shape === 'one' ? [] : Array.from({ length: prng.between(1, 2) }, () => prng.pick(few));
    const items = [...keys, ...aggregates];
    const everything = source.columns.map(({ forms: { duck } }) => duck).join(', ');
    return this.#ordered({
      ...{ ...EMPTY, bound: true, ...condition, distinct: false, items, from, limit: null, offset: 0 },
      ...{ groupBy: shape === 'keys' ? keys : [], groupBeside: shape === 'entities' ? everything : null },
      ...{ aliases: items.map(() => prng.chance(0.4)) },
      having: shape === 'keys' && prng.chance(0.3) ? new Values(prng, aggregates).condition(1) : null,
    });
  }

  #ordered(select: Select): Select {
    const { items, aliases } = select;
    if (items.length === 0) return { ...select, items: [COUNT_ROWS], aliases: [false] };
    if (!orderable(items) || this.prng.chance(0.4)) return select;
    return {
      ...select,
      order: orderOfItems(this.prng, items, aliases),
      ...maybeBounds(this.prng),
      total: true,
    };
  }

  /** HAVING COUNT([c.value]) > n in a SELECT of aggregates only. */
  #counted(): Select {
    const { prng } = this;
    const event = prng.pick(this.#table.events);
    const tests = this.#tests(event);
    const source = sourceOf(prng, this.#world);
    const { from } = this.#gathered(event, tests, source);
    const values = new Values(prng, source.columns);
    const { where, havingBeside } = this.#condition(tests, 'len(f.feed) > 0', values);
    const compared = `${prng.pick(['>', '>=', '<', '<=', '=', '<>'])} ${prng.between(0, 4)}`;
    const counts = `coalesce(len(f.feed), 0) ${compared}`;
    const both: Piece =
      where === null
        ? piece({ ...DATETIME, type: 'boolean' }, forms('TRUE', counts))
        : { ...where, forms: { ...where.forms, duck: `${where.forms.duck} AND ${counts}` } };
    const having = `COUNT([${event.name}.value]) ${compared}`;
    const items = [COUNT_ROWS, ...this.#aggregates(values, prng.below(3), () => ({ list: null }))];
    return {
      ...{
        ...EMPTY,
        bound: true,
        distinct: false,
        items,
        aliases: items.map(() => true),
        from,
        limit: null,
        offset: 0,
        where: both,
      },
      havingBeside:
        havingBeside === null
          ? having
          : prng.chance(0.5)
            ? `${havingBeside} AND ${having}`
            : `${having} AND ${havingBeside}`,
    };
  }

  #eventSource(): {
    readonly event: EventColumn;
    readonly source: Source;
    readonly pieces: Piece[];
    readonly condition: EventCondition;
    readonly from: Printed;
  } {
    const { prng } = this;
    const event = prng.pick(this.#table.events);
    const { name } = this.#table;
    const source = sourceOf(prng, this.#world);
    const tests = this.#tests(event);
    const values = new Values(prng, source.columns);
    const pieces = this.#eventPieces(event, 'e.value', 'e.date');
    const condition = this.#condition(tests, tests === null ? '' : tests.duck.join(' AND '), values);
    const from = replaced(source, `"${name}" AS f JOIN "${name}_${event.name}" AS e ON e.id = f."entity-id"`);
    return { event, source, pieces, condition, from };
  }

  /** GROUP BY values of events, expressions of them, or INTERVAL of their dates. */
  #eventGroups(): Select {
    const { prng } = this;
    const { event, source, pieces, condition, from } = this.#eventSource();
    const ofEvents = new Values(prng, pieces);
    const few = source.columns.filter(({ type, digits }) => type !== 'json' && digits < 10);
    const keys: { readonly key: Piece; readonly item: Piece }[] = [];
    if (prng.chance(0.4)) {
      const [word, unit] = prng.pick(INTERVALS);
      const duck = `CAST(date_trunc('${unit}', e.date) AS TIMESTAMP)`;
      const call = `INTERVAL([${event.name}.value])`;
      keys.push({
        key: piece(DATETIME, forms(`${call} = '${word}'`, duck)),
        item: piece(DATETIME, forms(call, duck)),
      });
    } else {
      const made = ofEvents.firm(prng.pick([0, 1, 2]));
      const key = readsColumns(made, pieces) ? made : pieces[0];
      keys.push({ key, item: key });
    }
    if (prng.chance(0.4)) {
      const key = prng.pick(few);
      keys.push({ key, item: key });
    }
    const singleton = (of: string): string =>
      `list_transform(list_distinct(list({'i': f."entity-id", 'v': ${of}})), lambda s: s.v)`;
    const all = new Values(prng, [...pieces, ...pieces, ...source.columns]);
    const aggregates = this.#aggregates(all, prng.between(0, 3), (of) => ({
      list: readsColumns(of, pieces) ? null : singleton,
    }));
    const count: Piece = {
      ...COUNT_ROWS,
      forms: forms('COUNT(*)', 'CAST(count(DISTINCT f."entity-id") AS HUGEINT)'),
    };
    const items = [...keys.map(({ item }) => item), ...(prng.chance(0.7) ? [count] : []), ...aggregates];
    return this.#ordered({
      ...{
        ...EMPTY,
        bound: true,
        ...condition,
        distinct: false,
        items,
        aliases: items.map(() => prng.chance(0.4)),
        from,
      },
      ...{ limit: null, offset: 0, groupBy: keys.map(({ key }) => key) },
      // DuckDB does not allow lambdas in HAVING.
      having: prng.chance(0.3)
        ? new Values(prng, [count, ...aggregates.filter((of) => readsColumns(of, pieces))]).condition(1)
        : null,
    });
  }

  /** Values and dates selected without functions. */
  #eventRows(): Select {
    const { prng } = this;
    const { source, pieces, condition, from } = this.#eventSource();
    const values = new Values(prng, [...pieces, ...pieces, ...source.columns]);
    const more = Array.from({ length: prng.below(3) }, () => values.firm(prng.pick([0, 1, 2])));
    const items = [prng.pick(pieces), ...more];
    const aliases = items.map(() => prng.chance(0.4));
    // There are no groups for HAVING, but it may contain windows.
    return this.#ordered({
      ...{ ...EMPTY, bound: true, ...condition, from },
      distinct: prng.chance(0.25),
      items,
      aliases,
      limit: null,
      offset: 0,
    });
  }
}
