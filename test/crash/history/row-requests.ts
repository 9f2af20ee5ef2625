/**
 * Random inserts, updates and deletes of one writer, drawn from the entities in its journal: as JSON here, and as SQL in
 * sql-requests.ts.
 */
import type { Prng } from '../../../src/base/index.js';
import type { ApiRequest } from '../../support/json-client.js';
import type { Entities, Journal, Op } from './journal.js';

/** Dimensions that exist before the first round, each with the columns of `FIXED_COLUMNS`. */
export const FIXED_DIMENSIONS = ['default', 'people', 'things'] as const;

export const FIXED_COLUMNS = FIXED_DIMENSIONS.flatMap((dimension) =>
  [
    { name: 'tag', type: 'string' },
    { name: 'tag-list', type: 'string', storage: 'list-of-values' },
    { name: 'n', type: 'integer' },
    { name: 'tag-event', type: 'string-event' },
    { name: 'n-event', type: 'integer-event' },
  ].map((column) => ({ ...column, 'api-name': column.name, dimension })),
);

const ENTITIES_PER_REQUEST_MAX = 300;
const ENTITIES_PER_SMALL_REQUEST_MAX = 10;
/** Values of an `#entity`: tag, two items, n, and three events. */
const VALUES_PER_ENTITY = 7;
export const ALL_TIME = ['1990-01-01', '2100-01-01'];

export const hasEvent = (column: string, tag: string, minfreq = 1): readonly unknown[] => [
  { [column]: { equals: tag, between: ALL_TIME, minfreq } },
];
export const hasLast = (tag: string): readonly unknown[] => [{ tag: { equals: tag } }];

/** The fields of a request that selects the found entities. */
export const queryOf = ({ dimension, ordinals, tag, by }: Found) => ({
  dimension,
  entities: new Map([[dimension, ordinals]]),
  query: by === 'last' ? hasLast(tag) : hasEvent('tag-event', tag),
});

const countOf = (entities: Entities): number =>
  [...entities.values()].reduce((sum, ordinals) => sum + ordinals.length, 0);

/** Entities of one dimension, and a tag that selects exactly them. */
export interface Found {
  readonly dimension: string;
  readonly ordinals: readonly number[];
  readonly tag: string;
  /** Whether the tag is the current attribute or an event. */
  readonly by: 'last' | 'event';
}

export class RowRequests {
  readonly #journal: Journal;
  readonly #prng: Prng;
  readonly #round: number;

  constructor(journal: Journal, prng: Prng, round: number) {
    this.#journal = journal;
    this.#prng = prng;
    this.#round = round;
  }

  /** `fresh`: only entities that were never named, and nothing else that an earlier request may touch. */
  insert(fresh: boolean): Op {
    const prng = this.#prng;
    const tag = this.tag();
    const dimensions: string[] = FIXED_DIMENSIONS.filter(() => prng.chance(0.5));
    const own = fresh || !prng.chance(0.05) ? null : this.#ownDimension();
    if (own !== null) dimensions.push(own);
    if (dimensions.length === 0) dimensions.push('default');
    const max = prng.chance(0.4) ? ENTITIES_PER_SMALL_REQUEST_MAX : ENTITIES_PER_REQUEST_MAX;
    let left = prng.between(dimensions.length, max);
    const entities = new Map<string, readonly number[]>();
    dimensions.forEach((dimension, index) => {
      const others = dimensions.length - 1 - index;
      const count = others === 0 ? left : prng.between(1, left - others);
      left -= count;
      entities.set(dimension, this.choose(dimension, count, fresh));
    });
    // Any writer of the round may be the first to create this column.
    const makes = !fresh && dimensions[0] === 'default' && prng.chance(0.1);
    const autoColumn = makes ? `auto-${this.#round}-${prng.below(2)}` : undefined;
    const inDefault = autoColumn === undefined ? 0 : (entities.get('default') as readonly number[]).length;
    const entityCount = countOf(entities);
    const op: Op = {
      kind: 'insert',
      what: tag,
      request: this.#request(
        '/v1/insert',
        this.#body(tag, entities, autoColumn, own !== null),
        prng.chance(0.5),
      ),
      answer: {
        'inserted-entities': entityCount,
        'inserted-values': entityCount * VALUES_PER_ENTITY + inDefault,
      },
      wrote: { tag, entities },
      ...(autoColumn === undefined ? {} : { autoColumn }),
      ...(own === null ? {} : { things: new Map([[`dimension/${own}`, 'there']]) }),
    };
    return op;
  }

  /** Updates all entities that one request wrote last, or all that hold its event; null when none is found. */
  update(): Op | null {
    const found = this.some();
    if (found === null) return null;
    const { dimension, entities, query } = queryOf(found);
    const tag = this.tag();
    const set = { tag, 'tag-list': [tag], 'tag-event': { value: tag, date: '2020-01-02' } };
    return {
      kind: 'update',
      what: tag,
      request: this.#request('/v1/update', { dimension, query, set }),
      answer: { updated: countOf(entities) },
      wrote: { tag, entities },
    };
  }

  delete(): Op | null {
    const found = this.some();
    if (found === null) return null;
    const { dimension, entities, query } = queryOf(found);
    return {
      kind: 'delete',
      what: `of ${JSON.stringify(query)} in ${dimension}`,
      request: this.#request('/v1/delete', { dimension, query }),
      answer: { deleted: countOf(entities) },
      deleted: { entities, query },
    };
  }

  /** The tag of the next request. */
  tag(): string {
    return `w${this.#journal.writer}-request-${this.#journal.entries.length}`;
  }

  /** Every third request has an Idempotency-Key. */
  #request(path: string, body: unknown, plain = false): ApiRequest {
    const named = this.#prng.chance(0.35) ? { 'idempotency-key': `once ${this.tag()}` } : null;
    return { path, body, plain, ...(named === null ? {} : { headers: named }) };
  }

  #ownDimension(): string {
    const own = this.#journal.thingsOf('dimension/');
    const wanted = own.filter((name) => name.includes('-own-'));
    if (wanted.length > 0) return this.#prng.pick(wanted);
    return `w${this.#journal.writer}-own-${this.#journal.entries.length}`;
  }

  /** `count` distinct entities of the dimension: mostly new ones, some existing or deleted ones. */
  choose(dimension: string, count: number, fresh: boolean): readonly number[] {
    const { namedCounts } = this.#journal.rows;
    const chosen = new Set<number>();
    const before = namedCounts.get(dimension) ?? 0;
    let known = before;
    while (chosen.size < count) {
      if (!fresh && before > 0 && this.#prng.chance(0.3)) chosen.add(this.#prng.below(before));
      else chosen.add(known++);
    }
    namedCounts.set(dimension, known);
    return [...chosen];
  }

  /** All entities with the tag of a randomly chosen entity; null when the draw finds none. */
  some(): Found | null {
    const { rows, entries } = this.#journal;
    const dimension = this.#prng.pick(FIXED_DIMENSIONS);
    const named = rows.namedCounts.get(dimension) ?? 0;
    if (named === 0) return null;
    const tags = rows.tagsOf(dimension, this.#prng.below(named));
    if (tags.length === 0) return null;
    const by = this.#prng.chance(0.5) ? 'last' : 'event';
    const entry = by === 'last' ? tags[tags.length - 1] : this.#prng.pick(tags);
    const tag = entries[entry].op.wrote?.tag ?? '';
    return { dimension, ordinals: rows.find(dimension, entry, by), tag, by };
  }

  #body(
    tag: string,
    entities: Entities,
    autoColumn: string | undefined,
    createsDimension: boolean,
  ): Record<string, unknown> {
    const body: Record<string, unknown> = {};
    for (const [dimension, ordinals] of entities) {
      for (const ordinal of ordinals) {
        const own =
          autoColumn !== undefined && dimension === 'default' ? { [autoColumn]: [{ value: tag }] } : {};
        body[this.#journal.idOf(dimension, ordinal)] = { ...this.#entity(tag, dimension, ordinal), ...own };
      }
    }
    if (autoColumn !== undefined || createsDimension) body['auto-create'] = ['dimension', 'column'];
    return body;
  }

  #entity(tag: string, dimension: string, ordinal: number): Record<string, unknown> {
    return {
      dimension,
      tag,
      'tag-list': [tag, `list-${ordinal % 10}`],
      n: ordinal,
      'tag-event': [{ value: tag, date: '2020-01-01T00:00:00Z' }],
      // An event without a date gets the time of its record.
      'n-event': [{ value: ordinal }, { value: ordinal }],
    };
  }
}
