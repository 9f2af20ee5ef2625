/**
 * Flows. Slots: see flowSlots. The samples of a link are the seconds from one event to the next.
 * Nodes are ranked first, by level; then paths are counted by the chosen nodes.
 */
import { type FlowQuestion, flowSlots, nodeKey, nodeOfKey } from '../../../ir/index.js';
import { walkEntities } from '../entity-walk.js';
import { type KernelInput, rangeWithin } from '../kernel.js';
import { StreamOrder } from './order.js';
import { EntityPaths } from './paths.js';

const NUMBERS_MIN = 64;

export function countFlow(input: KernelInput<FlowQuestion>): void {
  const { events, plan, question, run, ranking } = input;
  const order = new StreamOrder(events);
  const paths = new EntityPaths(events, question, order, run);
  const sink = ranking === null ? new FlowCounter(input) : new NodeRanking(input);
  walkEntities(events, run, (_row, from, to) => {
    const range = rangeWithin(events.columns[0], from, to, plan.between);
    if (range.from === range.to) return;
    order.sort(range.from, range.to);
    paths.each(range.from, range.to, (path, length) => sink.add(path, length));
  });
  if (sink instanceof NodeRanking) sink.finish();
}

/** One number for each level, column and number of a value; 0 = none. */
class ByLevel {
  readonly #all: Uint32Array[];
  readonly #columnCount: number;
  readonly #input: KernelInput<FlowQuestion>;
  readonly #numbers: Uint32Array;
  readonly #columns: Uint32Array;

  constructor(input: KernelInput<FlowQuestion>) {
    const { events, question } = input;
    this.#input = input;
    this.#columnCount = events.values.length;
    this.#numbers = events.columns[events.valueColumn];
    this.#columns = events.columns[events.valueColumn + 1];
    this.#all = Array.from({ length: question.depth * this.#columnCount }, () => new Uint32Array(0));
  }

  get(level: number, event: number): number {
    return this.#all[level * this.#columnCount + this.#columns[event]][this.#numbers[event]] ?? 0;
  }

  /** Throws 9006. */
  set(level: number, event: number, value: number): void {
    const index = level * this.#columnCount + this.#columns[event];
    const number = this.#numbers[event];
    if (number >= this.#all[index].length) this.#grow(index, number);
    this.#all[index][number] = value;
  }

  #grow(index: number, number: number): void {
    const own = this.#all[index];
    const longer = Math.max(NUMBERS_MIN, own.length * 2, number + 1);
    this.#input.run.reserve((longer - own.length) * 4);
    this.#all[index] = new Uint32Array(longer);
    this.#all[index].set(own);
  }

  keyOf(level: number, event: number): string {
    const column = this.#columns[event];
    return nodeKey(level, column, this.#input.events.values[column].textOf(this.#numbers[event]));
  }

  each(act: (key: string, value: number) => void): void {
    this.#all.forEach((own, index) => {
      const [level, column] = [Math.floor(index / this.#columnCount), index % this.#columnCount];
      own.forEach((value, number) => {
        if (value === 0) return;
        act(nodeKey(level, column, this.#input.events.values[column].textOf(number)), value);
      });
    });
  }
}

/** Counts the nodes of each level. */
class NodeRanking {
  readonly #input: KernelInput<FlowQuestion>;
  readonly #counts: ByLevel;

  constructor(input: KernelInput<FlowQuestion>) {
    this.#input = input;
    this.#counts = new ByLevel(input);
  }

  add(path: Uint32Array, length: number): void {
    const levels = Math.min(length, this.#input.question.depth);
    for (let level = 0; level < levels; level++) {
      this.#counts.set(level, path[level], this.#counts.get(level, path[level]) + 1);
    }
  }

  finish(): void {
    this.#counts.each((key, count) => this.#input.ranking?.add([key], count));
  }
}

/** Counts paths by the chosen nodes. */
class FlowCounter {
  readonly #input: KernelInput<FlowQuestion>;
  readonly #dates: Uint32Array;
  /** One more than the index of a node in its level; the others have index `limit`. */
  readonly #known: ByLevel;
  readonly #chosen = new Map<string, number>();
  readonly #slots: ReturnType<typeof flowSlots>;

  constructor(input: KernelInput<FlowQuestion>) {
    this.#input = input;
    [this.#dates] = input.events.columns;
    this.#known = new ByLevel(input);
    this.#slots = flowSlots(input.question);
    const sizes = new Array<number>(input.question.depth).fill(0);
    for (const key of input.chosen?.values ?? []) this.#chosen.set(key, sizes[nodeOfKey(key).level]++);
  }

  #nodeOf(level: number, event: number): number {
    const known = this.#known.get(level, event);
    if (known > 0) return known - 1;
    const node = this.#chosen.get(this.#known.keyOf(level, event)) ?? this.#input.question.limit;
    this.#known.set(level, event, node + 1);
    return node;
  }

  add(path: Uint32Array, length: number): void {
    const { tally, question } = this.#input;
    const { levelSlots, linkSlots, linksAt } = this.#slots;
    const width = question.limit + 1;
    let before = 0;
    for (let level = 0; level < Math.min(length, question.depth); level++) {
      const node = this.#nodeOf(level, path[level]);
      tally.counts[level * levelSlots + node]++;
      if (length === level + 1) tally.counts[level * levelSlots + width]++;
      if (level > 0) {
        const link = linksAt + (level - 1) * linkSlots + before * width + node;
        tally.counts[link]++;
        tally.sample(link, Math.abs(this.#dates[path[level]] - this.#dates[path[level - 1]]));
      }
      before = node;
    }
  }
}
