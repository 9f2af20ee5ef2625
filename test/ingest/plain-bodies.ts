/** Seeded insert bodies that are plain, or have one unusual part, for a model with columns of every type. */
import type { Prng } from '../../src/base/index.js';
import type { ParsedInsert } from '../../src/ingest/index.js';
import {
  type Column,
  type DatabaseModel,
  type Dimension,
  formatDate,
  formatDateTime,
} from '../../src/schema/index.js';
import { NOW_MS } from '../support/ingest/ingest-bodies.js';
import { PlainValueWriter } from './plain-values.js';

const NOW_SECONDS = Math.floor(NOW_MS / 1000);
const EVENT_SECONDS_MIN = Date.UTC(1990, 0, 1) / 1000;
const DAY = 86_400;

export interface GeneratedBody {
  readonly text: string;
  /** The body has no unusual part, so the walk over plain bodies must accept it. */
  readonly isPlain: boolean;
}

export class PlainBodyWriter {
  readonly #random: Prng;
  readonly #model: DatabaseModel;
  readonly #values: PlainValueWriter;
  readonly #shuffled: boolean;
  readonly #leftOut: number;
  #idCount = 0;

  /**
   * `oddChance` is the probability per token of a form that the walk over plain bodies leaves to TypeScript, or that is
   * invalid.
   */
  constructor(random: Prng, model: DatabaseModel, oddChance: number) {
    this.#random = random;
    this.#model = model;
    this.#values = new PlainValueWriter(random, oddChance);
    this.#shuffled = random.chance(0.4);
    this.#leftOut = random.pick([0, 0.1, 0.6, 0.9]);
  }

  body(entityCount: number): GeneratedBody {
    const entities = Array.from(
      { length: entityCount },
      () => `${this.#id()}${this.#values.gap()}:${this.#entity()}`,
    );
    const inner = entities.join(`${this.#values.gap()},${this.#values.gap()}`);
    const text = `${this.#values.gap()}{${this.#values.gap()}${inner}${this.#values.gap()}}${this.#values.gap()}`;
    return { text, isPlain: this.#values.isPlain && entityCount > 0 };
  }

  #id(): string {
    const count = this.#idCount++;
    const odd = this.#values.odd([
      '"U0"',
      '"auto-create"',
      '"AUTO-create"',
      '""',
      `"${'i'.repeat(1001)}"`,
      '"auto\\u002dcreate"',
      'u',
    ]);
    if (odd !== null) return odd;
    if (this.#random.chance(0.02)) return `"${count}${'L'.repeat(1000 - String(count).length)}"`;
    return `"${this.#random.pick(['u', 'U', 'person-', 'AUTO-CREATE', 'ÄÖ', '\\\\'])}${count}"`;
  }

  #entity(): string {
    const random = this.#random;
    const odd = this.#values.odd([
      '{}',
      '[]',
      'null',
      '{"dimension":"people"}',
      '{"dimension":"nope","country":"x"}',
    ]);
    if (odd !== null) return odd;
    const people = this.#model.dimensions.get('people') as Dimension;
    const known = [...people.columns.values()].filter(
      ({ id, active, decimalPlaces }) => id !== 0 && active && decimalPlaces !== 20,
    );
    const eventCounts = new Map<number, number>();
    for (const { columnIds } of people.relations.values()) {
      const count = random.below(4);
      for (const id of columnIds) eventCounts.set(id, count);
    }
    let chosen = known.filter(() => !random.chance(this.#leftOut));
    if (chosen.length === 0) chosen = [random.pick(known)];
    if (this.#shuffled) chosen = chosen.toSorted(() => (random.chance(0.5) ? 1 : -1));
    if (random.chance(0.03)) {
      // The plain walk gives up if a column occurs twice and is related, or is null once.
      chosen = [...chosen, random.pick(chosen)];
      this.#values.isPlain = false;
    }
    const members = chosen.map((column) => this.#member(column, eventCounts.get(column.id)));
    if (random.chance(0.5)) members.unshift(`"dimension"${this.#values.gap()}:${this.#values.gap()}"people"`);
    const more = this.#values.odd([
      '"gone":1',
      '"no-such":1',
      '"entity-id":"x"',
      '"dimension":"people"',
      '"d20":1',
      '"string-event":null',
    ]);
    if (more !== null) members.push(more);
    return `${this.#values.gap()}{${this.#values.gap()}${members.join(`${this.#values.gap()},${this.#values.gap()}`)}${this.#values.gap()}}`;
  }

  #member(column: Column, eventCount: number | undefined): string {
    return `"${column.apiName}"${this.#values.gap()}:${this.#values.gap()}${this.#columnValue(column, eventCount)}`;
  }

  #columnValue(column: Column, eventCount: number | undefined): string {
    const gap = this.#values.gap();
    const count = eventCount ?? this.#random.pick([0, 1, 1, 2, 3]);
    const list = (item: () => string): string =>
      `[${gap}${Array.from({ length: count }, item).join(`${gap},${gap}`)}${gap}]`;
    if (column.type.endsWith('-event')) {
      const alone = this.#random.chance(0.3) && (eventCount ?? 1) === 1;
      return alone ? this.#event(column) : list(() => this.#event(column));
    }
    if (this.#random.chance(0.04)) return 'null';
    return column.storage === 'latest-value'
      ? this.#values.value(column)
      : list(() => this.#values.value(column));
  }

  #event(column: Column): string {
    const gap = this.#values.gap();
    const members = [`"value"${gap}:${gap}${this.#values.value(column)}`];
    if (this.#random.chance(0.8)) members.push(`"date"${gap}:${gap}${this.#eventDate(column)}`);
    const more = this.#values.odd(['"value":1', '"date":"2026-01-31"', '"x":1', '"vALUE":1']);
    if (more !== null) members.push(more);
    if (this.#random.chance(0.4)) members.reverse();
    const odd = this.#values.odd(['{}', '{"date":"2026-01-31"}', '[]', '5', 'null']);
    return odd ?? `{${gap}${members.join(`${gap},${gap}`)}${gap}}`;
  }

  #eventDate({ retentionDays }: Column): string {
    const random = this.#random;
    const retained = retentionDays === null ? EVENT_SECONDS_MIN : NOW_SECONDS - retentionDays * DAY;
    const odd = this.#values.odd([
      `"${formatDateTime(retained - 1)}"`,
      `"${formatDate(Math.floor(retained / DAY) - 1)}"`,
      `"${formatDateTime(NOW_SECONDS + 1)}"`,
      `"${formatDateTime(EVENT_SECONDS_MIN - 1)}"`,
      '"1989-12-31"',
      '"2026-02-02"',
      '"2026-01-30T10:00:00+01:00"',
      '"2026-01-3"',
      '20260101',
      '"2026-01-32"',
    ]);
    if (odd !== null) return odd;
    const moment = random.pick([retained, NOW_SECONDS, retained + random.below(NOW_SECONDS - retained + 1)]);
    const day = Math.floor(moment / DAY);
    return random.chance(0.3) && day * DAY >= retained
      ? `"${formatDate(day)}"`
      : this.#values.instant(moment);
  }
}

/** The difference of two results of one body, or null if their batches are identical byte for byte. */
export function unlikeInserts(one: ParsedInsert, other: ParsedInsert): string | null {
  const shown = ({
    entityCount,
    valueCount,
    batches,
    createdColumns,
    createdDimensions,
  }: ParsedInsert): string =>
    JSON.stringify([
      entityCount,
      valueCount,
      createdColumns.length,
      createdDimensions.length,
      batches.map(({ shard, dimensionId, byteLength }) => [shard, dimensionId, byteLength]),
    ]);
  if (shown(one) !== shown(other)) return `${shown(one)} is not ${shown(other)}`;
  const bytesOf = ({ buffer, batches }: ParsedInsert, index: number): Buffer =>
    Buffer.from(buffer as ArrayBuffer, batches[index].offset, batches[index].byteLength);
  const position = one.batches.findIndex((_, index) => !bytesOf(one, index).equals(bytesOf(other, index)));
  return position < 0 ? null : `the bytes of batch ${position} differ`;
}
