/**
 * The writes of one writer as SQL: single statements, and scripts of several that take effect together or not at all; an
 * update in a script may also change rows of the insert before it. They write the same tags as the JSON requests.
 */
import type { Prng } from '../../../src/base/index.js';
import type { ApiRequest } from '../../support/json-client.js';
import type { Entities, Journal, Op } from './journal.js';
import { FIXED_DIMENSIONS, type Found, queryOf, type RowRequests } from './row-requests.js';

const ENTITIES_PER_INSERT_MAX = 120;
const NAMED_SHARE = 0.35;
const CONTENT_TYPE = { 'content-type': 'application/sql' };
/** Values of a row: tag, n and an event; a list adds two. */
const VALUES_PER_ENTITY = 3;
const VALUES_PER_LIST = 2;

type Numbers = Record<string, number>;

const add = (numbers: Numbers, name: string, more: number): void => {
  numbers[name] = (numbers[name] ?? 0) + more;
};

const where = ({ tag, by }: Found): string =>
  by === 'last' ? `tag = '${tag}'` : `[tag-event.value] = '${tag}'`;

const updateText = (found: Found, tag: string): string =>
  `UPDATE [${found.dimension}] SET tag = '${tag}', [tag-list] = '["${tag}"]', ` +
  `[tag-event.value] = '${tag}', [tag-event.date] = '2020-01-02' WHERE ${where(found)}`;

const deleteText = (found: Found): string => `DELETE FROM [${found.dimension}] WHERE ${where(found)}`;

export class SqlRequests {
  readonly #rows: RowRequests;
  readonly #journal: Journal;
  readonly #prng: Prng;

  constructor(rows: RowRequests, journal: Journal, prng: Prng) {
    this.#rows = rows;
    this.#journal = journal;
    this.#prng = prng;
  }

  /** `fresh`: only entities that were never named. */
  insert(fresh: boolean): Op {
    const tag = this.#rows.tag();
    const dimension = this.#prng.pick(FIXED_DIMENSIONS);
    const ordinals = this.#choose(dimension, fresh);
    const answer: Numbers = {};
    const text = this.#insertText(tag, dimension, ordinals, true, answer);
    const wrote = { tag, entities: new Map([[dimension, ordinals]]) };
    return { kind: 'SQL insert', what: tag, request: this.#request([text]), answer, wrote };
  }

  update(): Op | null {
    const found = this.#rows.some();
    if (found === null) return null;
    const tag = this.#rows.tag();
    const { entities } = queryOf(found);
    const request = this.#request([updateText(found, tag)]);
    const answer = { updated: found.ordinals.length };
    return { kind: 'SQL update', what: tag, request, answer, wrote: { tag, entities } };
  }

  delete(): Op | null {
    const found = this.#rows.some();
    if (found === null) return null;
    const { entities, query } = queryOf(found);
    const text = deleteText(found);
    const answer = { deleted: found.ordinals.length };
    return {
      kind: 'SQL delete',
      what: text,
      request: this.#request([text]),
      answer,
      deleted: { entities, query },
    };
  }

  /** `fresh`: the script touches nothing that an earlier request may touch. */
  script(fresh: boolean): Op {
    const tag = this.#rows.tag();
    const answer: Numbers = {};
    const entities = new Map<string, readonly number[]>();
    const texts: string[] = [];
    for (const dimension of this.#dimensions()) {
      const ordinals = this.#choose(dimension, true);
      const withList = this.#prng.chance(0.5);
      texts.push(this.#insertText(tag, dimension, ordinals, withList, answer));
      if (!withList) {
        texts.push(`UPDATE [${dimension}] SET [tag-list] = '["${tag}"]' WHERE tag = '${tag}'`);
        add(answer, 'updated', ordinals.length);
      }
      entities.set(dimension, ordinals);
    }
    const updated = fresh || this.#prng.chance(0.4) ? null : this.#rows.some();
    if (updated !== null) {
      const { dimension, ordinals } = updated;
      texts.push(updateText(updated, tag));
      add(answer, 'updated', ordinals.length);
      entities.set(dimension, [...(entities.get(dimension) ?? []), ...ordinals]);
    }
    const deleted = fresh || this.#prng.chance(0.4) ? null : this.#deletedBeside(entities);
    if (deleted !== null) {
      texts.push(deleteText(deleted));
      add(answer, 'deleted', deleted.ordinals.length);
    }
    return {
      kind: 'SQL script',
      what: tag,
      request: this.#request(texts),
      answer,
      wrote: { tag, entities },
      ...(deleted === null ? {} : { deleted: queryOf(deleted) }),
    };
  }

  /** Entities none of which is in `others`; null when the draw finds none. */
  #deletedBeside(others: Entities): Found | null {
    const found = this.#rows.some();
    if (found === null) return null;
    const taken = new Set(others.get(found.dimension) ?? []);
    return found.ordinals.some((ordinal) => taken.has(ordinal)) ? null : found;
  }

  #dimensions(): readonly string[] {
    const some = FIXED_DIMENSIONS.filter(() => this.#prng.chance(0.5));
    return some.length > 0 ? some : ['default'];
  }

  #choose(dimension: string, fresh: boolean): readonly number[] {
    return this.#rows.choose(dimension, this.#prng.between(1, ENTITIES_PER_INSERT_MAX), fresh);
  }

  #insertText(
    tag: string,
    dimension: string,
    ordinals: readonly number[],
    withList: boolean,
    answer: Numbers,
  ): string {
    const list = withList ? ', [tag-list]' : '';
    const rows = ordinals.map((ordinal) => {
      const items = withList ? `, '["${tag}","list-${ordinal % 10}"]'` : '';
      return `('${this.#journal.idOf(dimension, ordinal)}', '${tag}', ${ordinal}, '${tag}', '2020-01-01'${items})`;
    });
    add(answer, 'inserted-entities', ordinals.length);
    add(answer, 'inserted-values', ordinals.length * (VALUES_PER_ENTITY + (withList ? VALUES_PER_LIST : 0)));
    const columns = `[entity-id], tag, n, [tag-event.1.value], [tag-event.1.date]${list}`;
    return `INSERT INTO [${dimension}] (${columns}) VALUES ${rows.join(', ')}`;
  }

  #request(texts: readonly string[]): ApiRequest {
    const named = this.#prng.chance(NAMED_SHARE) ? { 'idempotency-key': `once ${this.#rows.tag()}` } : null;
    return { path: '/v1/sql', text: texts.join(';\n'), headers: { ...CONTENT_TYPE, ...named } };
  }
}
