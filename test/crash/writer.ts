/**
 * One of the writers that run when the server is killed: sends one request after the other, over HTTP and HTTPS, and
 * writes into its journal what it sent and heard. It ends when it is told to or when a request got no answer.
 */
import type { Prng } from '../../src/base/index.js';
import type { Ask, JsonClient, Reply } from '../support/json-client.js';
import type { Heard, InsertOp, Journal, Op } from './journal.js';

/** Made before the first round, with the columns of `FIXED_COLUMNS` each. */
export const FIXED_DIMENSIONS = ['default', 'people', 'things'] as const;

const ENTITIES_PER_REQUEST_MAX = 300;
const ENTITIES_PER_SMALL_REQUEST_MAX = 10;

export const FIXED_COLUMNS = FIXED_DIMENSIONS.flatMap((dimension) =>
  [
    { name: 'tag', type: 'string' },
    { name: 'tag-list', type: 'string', storage: 'list-of-values' },
    { name: 'n', type: 'integer' },
    { name: 'tag-event', type: 'string-event' },
    { name: 'n-event', type: 'integer-event' },
  ].map((column) => ({ ...column, 'api-name': column.name, dimension })),
);

export class Writer {
  readonly #journal: Journal;
  readonly #prng: Prng;
  readonly #round: number;
  /** A dimension of this run's own that was made by an insert. */
  #ownDimension: string | null = null;
  stopped = false;

  constructor(journal: Journal, prng: Prng, round: number) {
    this.#journal = journal;
    this.#prng = prng;
    this.#round = round;
  }

  /** Resolves when the server answers no more, or after `stopped` was set. Throws at an answer that must not be. */
  async run(client: JsonClient): Promise<void> {
    while (!this.stopped) {
      const { op, ask } = this.#next();
      const heard = await send(client, ask);
      this.#journal.add(this.#round, op, heard);
      if (heard === 'nothing') return;
    }
  }

  #next(): { op: Op; ask: Ask } {
    const dice = this.#prng.unit();
    if (dice < 0.02) return this.#columns();
    if (dice < 0.04) return this.#dimensions();
    if (dice < 0.06 && this.#ownDimension !== null) return this.#drop(this.#ownDimension);
    return this.#insert();
  }

  #name(what: string): string {
    return `w${this.#journal.writer}-${what}-${this.#journal.entries.length}`;
  }

  #names(what: string): string[] {
    return Array.from({ length: this.#prng.between(1, 3) }, (_, index) => `${this.#name(what)}-${index}`);
  }

  #columns(): { op: Op; ask: Ask } {
    const names = this.#names('column');
    const body = names.map((name) => ({
      name,
      'api-name': name,
      type: this.#prng.pick(['string', 'integer', 'date']),
    }));
    return { op: { kind: 'columns', names }, ask: { path: '/v1/column', body } };
  }

  #dimensions(): { op: Op; ask: Ask } {
    const names = this.#names('dimension');
    const body = names.map((name) => ({ name, 'api-name': name }));
    return { op: { kind: 'dimensions', names }, ask: { path: '/v1/dimension', body } };
  }

  #drop(dimension: string): { op: Op; ask: Ask } {
    this.#ownDimension = null;
    return {
      op: { kind: 'drop', dimension },
      ask: { method: 'DELETE', path: '/v1/dimension', body: { 'api-name': dimension } },
    };
  }

  #insert(): { op: Op; ask: Ask } {
    const prng = this.#prng;
    const tag = this.#name('request');
    const dimensions: string[] = FIXED_DIMENSIONS.filter(() => prng.chance(0.5));
    if (prng.chance(0.05)) {
      this.#ownDimension ??= this.#name('own');
      dimensions.push(this.#ownDimension);
    }
    if (dimensions.length === 0) dimensions.push('default');
    const max = prng.chance(0.4) ? ENTITIES_PER_SMALL_REQUEST_MAX : ENTITIES_PER_REQUEST_MAX;
    let left = prng.between(dimensions.length, max);
    const entities = new Map<string, readonly number[]>();
    dimensions.forEach((dimension, index) => {
      const count =
        index === dimensions.length - 1 ? left : prng.between(1, left - (dimensions.length - 1 - index));
      left -= count;
      entities.set(dimension, this.#choose(dimension, count));
    });
    // A column that all writers of the round may be the first to make.
    const makes = dimensions[0] === 'default' && prng.chance(0.1);
    const autoColumn = makes ? `auto-${this.#round}-${prng.below(2)}` : null;
    const op: InsertOp = { kind: 'insert', tag, entities, autoColumn };
    return { op, ask: { path: '/v1/insert', body: this.#body(op), plain: prng.chance(0.5) } };
  }

  /** `count` entities of the dimension, each once: mostly new ones, some that are there. */
  #choose(dimension: string, count: number): readonly number[] {
    const chosen = new Set<number>();
    let known = this.#journal.entityCounts.get(dimension) ?? 0;
    const before = known;
    while (chosen.size < count) {
      if (before > 0 && this.#prng.chance(0.3)) chosen.add(this.#prng.below(before));
      else chosen.add(known++);
    }
    this.#journal.entityCounts.set(dimension, known);
    return [...chosen];
  }

  #body({ tag, entities, autoColumn }: InsertOp): Record<string, unknown> {
    const body: Record<string, unknown> = {};
    for (const [dimension, ordinals] of entities) {
      for (const ordinal of ordinals) {
        body[this.#journal.idOf(dimension, ordinal)] = {
          dimension,
          tag,
          'tag-list': [tag, `list-${ordinal % 10}`],
          n: ordinal,
          'tag-event': [{ value: tag, date: '2020-01-01T00:00:00Z' }],
          // Without a date: the time that the record holds.
          'n-event': [{ value: ordinal }, { value: ordinal }],
          ...(autoColumn !== null && dimension === 'default' ? { [autoColumn]: [{ value: tag }] } : {}),
        };
      }
    }
    if (autoColumn !== null || this.#ownDimension !== null) body['auto-create'] = ['dimension', 'column'];
    return body;
  }
}

async function send(client: JsonClient, ask: Ask): Promise<Heard> {
  let reply: Reply;
  try {
    reply = await client.ask(ask);
  } catch {
    return 'nothing';
  }
  if (reply.status === 200) return 'acknowledged';
  if (reply.status === 503) return 'refused';
  throw new Error(`${ask.path}: HTTP ${reply.status}, ${JSON.stringify(reply.body)}`);
}
