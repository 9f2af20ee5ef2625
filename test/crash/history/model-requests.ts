/**
 * Requests of one writer that change the model: dimensions, columns and relations of its own in the dimension default;
 * and its saved queries. Each lists the expected state afterwards as things (server-state.ts): a column as
 * `type state description`, a relation as the names of its columns, a saved query as `cache-period query`.
 */
import type { Prng } from '../../../src/base/index.js';
import type { ApiRequest } from '../../support/json-client.js';
import type { Journal, Op } from './journal.js';
import type { Make } from './team-requests.js';

const TYPES = ['string', 'integer', 'date', 'string-event', 'integer-event', 'integer-event'];
const NEW = '-';

export class ModelRequests {
  readonly #journal: Journal;
  readonly #prng: Prng;

  constructor(journal: Journal, prng: Prng) {
    this.#journal = journal;
    this.#prng = prng;
  }

  readonly all: readonly Make[] = [
    () => this.#createDimensions(),
    () => this.#dropDimension(),
    () => this.#createColumns(),
    () => this.#createColumns(),
    () => this.#changeColumn(),
    () => this.#changeColumn(),
    () => this.#deleteColumn(),
    () => this.#relate(),
    () => this.#relate(),
    () => this.#unrelate(),
    () => this.#save(),
    () => this.#changeSaved(),
    () => this.#deleteSaved(),
  ];

  #names(what: string): string[] {
    const base = `w${this.#journal.writer}-${what}-${this.#journal.entries.length}`;
    return Array.from({ length: this.#prng.between(1, 3) }, (_, index) => `${base}-${index}`);
  }

  #pick(prefix: string): string | null {
    const names = this.#journal.thingsOf(prefix);
    return names.length === 0 ? null : this.#prng.pick(names);
  }

  #createDimensions(): Op {
    const names = this.#names('dimension');
    return {
      kind: 'dimension',
      what: names.join(' '),
      request: { path: '/v1/dimension', body: names.map((name) => ({ name, 'api-name': name })) },
      things: new Map(names.map((name) => [`dimension/${name}`, 'there'])),
    };
  }

  #dropDimension(): Op | null {
    const name = this.#pick('dimension/');
    if (name === null) return null;
    return {
      kind: 'dimension',
      what: `${name} deleted`,
      request: { method: 'DELETE', path: '/v1/dimension', body: { 'api-name': name } },
      droppedDimension: name,
      things: new Map([[`dimension/${name}`, null]]),
    };
  }

  #createColumns(): Op {
    const columns = this.#names('column').map((name) => ({ name, type: this.#prng.pick(TYPES) }));
    const body = columns.map(({ name, type }) => ({ name, 'api-name': name, type, description: NEW }));
    return {
      kind: 'column',
      what: columns.map(({ name }) => name).join(' '),
      request: { path: '/v1/column', body },
      things: new Map(columns.map(({ name, type }) => [`column/${name}`, `${type} active ${NEW}`])),
    };
  }

  /** Changes state and description in one request. */
  #changeColumn(): Op | null {
    const name = this.#pick('column/');
    if (name === null) return null;
    const [type, state] = (this.#journal.things.get(`column/${name}`) as string).split(' ');
    const active = state !== 'active';
    const description = `d${this.#journal.entries.length}`;
    return {
      kind: 'column',
      what: `${name} made ${active ? 'active' : 'inactive'}`,
      request: { method: 'PUT', path: '/v1/column', body: { 'api-name': name, active, description } },
      things: new Map([[`column/${name}`, `${type} ${active ? 'active' : 'inactive'} ${description}`]]),
    };
  }

  #deleteColumn(): Op | null {
    const name = this.#pick('column/');
    if (name === null) return null;
    const relation = this.#relationOf(name);
    const rest = relation === null ? [] : this.#columnsOf(relation).filter((one) => one !== name);
    return {
      kind: 'column',
      what: `${name} deleted`,
      request: { method: 'DELETE', path: '/v1/column', body: { 'api-name': name } },
      things: new Map([
        [`column/${name}`, null],
        ...(relation === null ? [] : [[`relation/${relation}`, rest.join() || null] as const]),
      ]),
    };
  }

  #columnsOf(relation: string): string[] {
    return this.#journal.things.get(`relation/${relation}`)?.split(',') ?? [];
  }

  #relationOf(column: string): string | null {
    const all = this.#journal.thingsOf('relation/');
    return all.find((relation) => this.#columnsOf(relation).includes(column)) ?? null;
  }

  /** Puts up to three event columns without a relation into a new one. */
  #relate(): Op | null {
    const free = this.#journal
      .thingsOf('column/')
      .filter((name) => this.#journal.things.get(`column/${name}`)?.includes('-event active'))
      .filter((name) => this.#relationOf(name) === null)
      .slice(0, 3);
    if (free.length < 2) return null;
    const name = `w${this.#journal.writer}-relation-${this.#journal.entries.length}`;
    return {
      kind: 'relation',
      what: `${name} of ${free.join(' ')}`,
      request: { path: '/v1/column/relation', body: { name, columns: free } },
      things: new Map([[`relation/${name}`, free.join()]]),
    };
  }

  /** Removes some or all columns from a relation. */
  #unrelate(): Op | null {
    const name = this.#pick('relation/');
    if (name === null) return null;
    const columns = this.#columnsOf(name);
    const out = columns.slice(0, this.#prng.between(1, columns.length));
    const rest = columns.slice(out.length);
    return {
      kind: 'relation',
      what: `${name} without ${out.join(' ')}`,
      request: { method: 'DELETE', path: '/v1/column/relation', body: { name, columns: out } },
      things: new Map([[`relation/${name}`, rest.join() || null]]),
    };
  }

  #save(): Op {
    const name = `w${this.#journal.writer}-saved-${this.#journal.entries.length}`;
    return this.#savedOp(name, 'made', { path: '/v1/query/saved' }, { name });
  }

  #changeSaved(): Op | null {
    const name = this.#pick('saved/');
    if (name === null) return null;
    return this.#savedOp(name, 'changed', { method: 'PUT', path: `/v1/query/saved/${name}` }, {});
  }

  /** The saved query may select any entities, because it is not run. */
  #savedOp(name: string, what: string, request: Pick<ApiRequest, 'method' | 'path'>, more: object): Op {
    const query = [{ 'entity-id': { 'starts-with': `w${this.#journal.entries.length}` } }];
    const period = this.#prng.chance(0.5) ? null : this.#prng.between(5, 60);
    const body = { ...more, type: 'count/entity', query, 'cache-period': period };
    return {
      kind: 'saved query',
      what: `${name} ${what}`,
      request: { ...request, body },
      things: new Map([[`saved/${name}`, `${period} ${JSON.stringify(query)}`]]),
    };
  }

  #deleteSaved(): Op | null {
    const name = this.#pick('saved/');
    if (name === null) return null;
    return {
      kind: 'saved query',
      what: `${name} deleted`,
      request: { method: 'DELETE', path: `/v1/query/saved/${name}` },
      things: new Map([[`saved/${name}`, null]]),
    };
  }
}
