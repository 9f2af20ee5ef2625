/**
 * One SELECT on the lanes: begun on all of them in one turn, asked for part by part, and ended.
 * Invariants: it stays with the lanes that it began on: one that died and came back knows nothing of it, and asking the
 * dead one rejects with 9004.
 */
import type { RowFormat } from '../../answer/index.js';
import { invariant } from '../../base/index.js';
import {
  countsTexts,
  type GroupPartial,
  type JoinTable,
  type PartitionedTexts,
  type SelectPlan,
  TEXT_PARTITIONS,
} from '../../ir/index.js';
import type { OperatorStats, PartMemory, SelectPart, WorkerQueryLimits } from '../../protocol/index.js';
import type { LaneApi } from '../workers/worker-client.js';
import type { RunningQuery } from './running-query.js';

/** How long a lane works on a SELECT before others get their turn there. */
export interface Slices {
  readonly ms: number;
  /**
   * What is not done within a slice is not gone on with, because records may come behind it; else it is, and who asks sees to
   * it that none comes.
   */
  readonly isOnly: boolean;
}

/** Rows that a lane gives at once, where there are more to come. */
const PART_ROWS = 65_536;
/** Texts that a lane counts at once, about: some 20 ms. */
const TEXTS_AT_ONCE = 2 ** 20;
/** And about so many bytes: the main thread takes a part in without giving its turn to others. */
const PART_BYTES = 4 * 2 ** 20;

export interface AskedSettings {
  readonly plan: SelectPlan;
  readonly tables: readonly JoinTable[];
  /** null = as columns. */
  readonly format: RowFormat | null;
}

interface PartSize {
  readonly rowsMax: number;
  readonly bytesMax: number;
  /** Buffers that the lane is given. */
  readonly spares: number;
}

export class AskedSelect {
  readonly #selectId: number;
  readonly #lanes: readonly LaneApi[];
  readonly #settings: AskedSettings;
  readonly #slices: Slices;
  readonly #query: RunningQuery;
  readonly #figures: OperatorStats[] | null;
  readonly #memory: PartMemory;
  readonly #done: boolean[];
  #begun = false;

  /** `selectId`: no other SELECT under way has it. `end` must be called at last. `figures`: null = they are not wanted. `memory`: of parts that were sent. */
  constructor(
    selectId: number,
    lanes: readonly LaneApi[],
    settings: AskedSettings,
    slices: Slices,
    query: RunningQuery,
    figures: OperatorStats[] | null,
    memory: PartMemory,
  ) {
    this.#selectId = selectId;
    this.#lanes = lanes;
    this.#settings = settings;
    this.#slices = slices;
    this.#query = query;
    this.#figures = figures;
    this.#memory = memory;
    this.#done = lanes.map(() => false);
  }

  get laneCount(): number {
    return this.#lanes.length;
  }

  /** All rows of each lane, `rowsMax` at most, in one part; of a grouped plan all groups. null = one slice is too short. */
  async whole(rowsMax: number): Promise<readonly SelectPart[] | null> {
    const parts = (await this.#ask(() => rowsMax, Number.POSITIVE_INFINITY)).map(([, part]) => part);
    return parts.some(({ gives }) => gives === 'nothing') ? null : parts;
  }

  /** One part of each of these lanes, with its number. */
  of(lanes: readonly number[]): Promise<readonly (readonly [number, SelectPart])[]> {
    return this.#ask((lane) => (lanes.includes(lane) ? PART_ROWS : 0), PART_BYTES);
  }

  /** Parts of together `rowCount` rows at most, of all lanes that have more; null when there are none, or none are wanted. */
  share(rowCount: number): Promise<readonly SelectPart[]> | null {
    const open = this.#lanes.map((_, lane) => lane).filter((lane) => !this.#done[lane]);
    if (open.length === 0 || rowCount <= 0) return null;
    const each = Math.min(PART_ROWS, Math.floor(rowCount / open.length));
    const rowsMax = new Map(
      open.map((lane, place) => [
        lane,
        each === PART_ROWS ? each : each + (place < rowCount % open.length ? 1 : 0),
      ]),
    );
    return this.#ask((lane) => rowsMax.get(lane) ?? 0, PART_BYTES).then((found) =>
      found.map(([, part]) => part),
    );
  }

  /**
   * How many different texts there are in lists that lanes gave in this SELECT; null: it would take too long. Each lane counts
   * some of the partitions.
   */
  async countTexts(lists: readonly PartitionedTexts[]): Promise<number | null> {
    const textCount = lists.reduce((sum, { count }) => sum + count, 0);
    const share = Math.ceil(TEXT_PARTITIONS / this.#lanes.length);
    const step = Math.max(1, Math.min(share, Math.floor((TEXTS_AT_ONCE * TEXT_PARTITIONS) / textCount)));
    const selectId = this.#selectId;
    let different = 0;
    for (let next = 0; next < TEXT_PARTITIONS; ) {
      const counted = await this.#query.ask(({ index }) => {
        const from = Math.min(TEXT_PARTITIONS, next);
        const to = Math.min(TEXT_PARTITIONS, from + step);
        next = to;
        return this.#lanes[index].send('select-count-texts', { selectId, lists, from, to });
      });
      for (const count of counted) {
        if (count === null) return null;
        different += count;
      }
    }
    return different;
  }

  /** Takes back the memory of what lanes gave and nobody looks at any more. */
  giveBack(partials: readonly GroupPartial[]): void {
    const states = partials.flatMap((partial) => partial.states);
    const buffers = states.map((state) => (state.holds === 'texts' ? state.texts.words.buffer : null));
    // Aggregates of the same values share their texts.
    for (const buffer of new Set(buffers)) if (buffer !== null) this.#memory.release(new Uint8Array(buffer));
  }

  /** Asks the lanes for which `rowsMax` is not 0, in this turn. */
  async #ask(
    rowsMax: (lane: number) => number,
    bytesMax: number,
  ): Promise<(readonly [number, SelectPart])[]> {
    const isFirst = !this.#begun;
    this.#begun = true;
    const spares = takesRoom(this.#settings) ? Math.ceil(this.#memory.count / this.#lanes.length) : 0;
    const answers = await this.#query.ask(({ index }, bounds) =>
      this.#askOne(this.#lanes[index], isFirst, { rowsMax: rowsMax(index), bytesMax, spares }, bounds),
    );
    const parts = answers.flatMap((part, lane) => (part === null ? [] : [[lane, part] as const]));
    for (const [lane, { done, figures }] of parts) {
      this.#done[lane] = done;
      this.#figures?.push(...figures);
    }
    return parts;
  }

  async #askOne(
    lane: LaneApi,
    isFirst: boolean,
    { rowsMax, bytesMax, spares }: PartSize,
    bounds: WorkerQueryLimits,
  ): Promise<SelectPart | null> {
    const selectId = this.#selectId;
    const begun = isFirst
      ? lane.send('select-begin', { selectId, ...this.#settings, profiled: this.#figures !== null, bounds })
      : null;
    if (rowsMax === 0) {
      await begun;
      return null;
    }
    const sliceMs = this.#slices.ms;
    const spare = this.#memory.take(spares);
    const first = lane.send('select-next', { selectId, rowsMax, bytesMax, sliceMs, spare });
    const [, begunPart] = await Promise.all([begun, first]);
    const figures = [...begunPart.figures];
    let part = begunPart;
    while (part.gives === 'nothing' && !this.#slices.isOnly) {
      part = await lane.send('select-next', { selectId, rowsMax, bytesMax, sliceMs, spare: [] });
      figures.push(...part.figures);
    }
    return { ...part, figures };
  }

  /** Forgets it on the lanes that still know it. */
  end(): void {
    if (!this.#begun) return;
    const selectId = this.#selectId;
    const isKept = countsTexts(this.#settings.plan);
    this.#lanes.forEach((lane, index) => {
      if (isKept || !this.#done[index]) lane.send('select-end', { selectId }).catch(() => {});
    });
  }
}

/** Whether lanes have a use for memory of parts: for encoded rows, and for texts that are to be counted. */
const takesRoom = ({ plan, format }: AskedSettings): boolean => format !== null || countsTexts(plan);

export function columnsOf(part: SelectPart): Extract<SelectPart, { readonly gives: 'columns' }> {
  invariant(part.gives === 'columns', `a lane gave ${part.gives} where columns were asked for`);
  return part;
}

export function bytesOf(part: SelectPart): Extract<SelectPart, { readonly gives: 'bytes' }> {
  invariant(part.gives === 'bytes', `a lane gave ${part.gives} where bytes were asked for`);
  return part;
}

export function partialsOf(part: SelectPart): readonly GroupPartial[] {
  invariant(part.gives === 'groups', `a lane gave ${part.gives} where groups were asked for`);
  return part.partials;
}
