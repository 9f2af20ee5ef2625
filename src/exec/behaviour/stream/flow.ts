/**
 * Flows. Slots: see flowSlots. The samples of a link are the seconds from one event to the next.
 * Nodes are ranked first, by level; then paths are counted by the chosen nodes.
 * Cost  linear in events, and depth per path; per level and value 4 bytes while nodes are ranked, then 1.
 */
import { type FlowQuestion, flowSlots, nodeKey, nodeOfKey } from '../../../ir/index.js';
import { walkEntities } from '../entity-walk.js';
import { type KernelInput, rangeWithin } from '../kernel.js';
import { EntityStream, ValueKeys } from './entity-stream.js';
import { StreamOrder } from './order.js';

/** Paths between two checks for a stop of the query. */
const CHECK_PATHS = 65_536;

export function countFlow(input: KernelInput<FlowQuestion>): void {
  const { events, plan, question, run, ranking } = input;
  const order = new StreamOrder(events);
  const keys = new ValueKeys(events.values);
  const stream = new EntityStream(events, question, keys, run);
  const sink = ranking === null ? new PathCounter(input, keys) : new NodeRanking(input, keys);
  walkEntities(events, run, (_row, from, to) => {
    const range = rangeWithin(events.columns[0], from, to, plan.between);
    if (range.from === range.to) return;
    order.sort(range.from, range.to);
    stream.read(range.from, range.to);
    sink.add(stream);
  });
  if (sink instanceof NodeRanking) sink.finish();
}

/** Whether event `at` of a stream exists, and is at most `reach` seconds from the event before it, which has a date. */
const follows = (dates: Uint32Array, count: number, at: number, date: number, reach: number): boolean =>
  at >= 0 && at < count && Math.abs(dates[at] - date) <= reach;

/** Counts the nodes of each level. */
class NodeRanking {
  readonly #input: KernelInput<FlowQuestion>;
  readonly #keys: ValueKeys;
  /** By level and key. */
  readonly #counts: Uint32Array;

  /** Throws 9006. */
  constructor(input: KernelInput<FlowQuestion>, keys: ValueKeys) {
    this.#input = input;
    this.#keys = keys;
    const size = input.question.depth * keys.count;
    input.run.reserve(size * 4);
    this.#counts = new Uint32Array(size);
  }

  add({ keys, dates, count, startKeys, startDates, seconds, pathCount, step }: EntityStream): void {
    const { depth, within } = this.#input.question;
    const reach = within ?? Number.POSITIVE_INFINITY;
    const [counts, keyCount] = [this.#counts, this.#keys.count];
    const end = depth * keyCount;
    for (let path = 0; path < pathCount; path++) {
      if (path % CHECK_PATHS === CHECK_PATHS - 1) this.#input.run.check();
      counts[startKeys[path]]++;
      let date = startDates[path];
      let at = seconds[path];
      for (
        let level = keyCount;
        level < end && follows(dates, count, at, date, reach);
        level += keyCount, at += step
      ) {
        date = dates[at];
        counts[level + keys[at]]++;
      }
    }
  }

  finish(): void {
    const { ranking, question } = this.#input;
    for (let level = 0; level < question.depth; level++) {
      const own = this.#counts.subarray(level * this.#keys.count);
      this.#keys.eachCounted(own, (column, text, count) =>
        ranking?.add([nodeKey(level, column, text)], count),
      );
    }
  }
}

/** Counts paths by the chosen nodes. */
class PathCounter {
  readonly #input: KernelInput<FlowQuestion>;
  readonly #keyCount: number;
  /** By level and key: the index of the node in its level; those that are not chosen have index `limit`. */
  readonly #nodes: Uint8Array;
  readonly #slots: ReturnType<typeof flowSlots>;

  /** Throws 9006. */
  constructor(input: KernelInput<FlowQuestion>, keys: ValueKeys) {
    const { question, chosen, run } = input;
    this.#input = input;
    this.#keyCount = keys.count;
    this.#slots = flowSlots(question);
    run.reserve(question.depth * keys.count);
    this.#nodes = new Uint8Array(question.depth * keys.count).fill(question.limit);
    const sizes = new Array<number>(question.depth).fill(0);
    for (const node of chosen?.values ?? []) {
      const { level, column, value } = nodeOfKey(node);
      const index = sizes[level]++;
      const key = keys.keyOf(column, value);
      if (key !== null) this.#nodes[level * keys.count + key] = index;
    }
  }

  add({ keys, dates, count, startKeys, startDates, seconds, pathCount, step }: EntityStream): void {
    const { tally, question, run } = this.#input;
    const { depth, limit, within } = question;
    const { levelSlots, linkSlots, linksAt } = this.#slots;
    const reach = within ?? Number.POSITIVE_INFINITY;
    const width = limit + 1;
    const [nodes, keyCount, { counts }] = [this.#nodes, this.#keyCount, tally];
    for (let path = 0; path < pathCount; path++) {
      if (path % CHECK_PATHS === CHECK_PATHS - 1) run.check();
      let node = nodes[startKeys[path]];
      let date = startDates[path];
      let at = seconds[path];
      let level = 1;
      counts[node]++;
      for (; level < depth && follows(dates, count, at, date, reach); level++, at += step) {
        const next = nodes[level * keyCount + keys[at]];
        const link = linksAt + (level - 1) * linkSlots + node * width + next;
        counts[level * levelSlots + next]++;
        counts[link]++;
        tally.samplesOf(link).add(Math.abs(dates[at] - date));
        node = next;
        date = dates[at];
      }
      if (!follows(dates, count, at, date, reach)) counts[(level - 1) * levelSlots + width]++;
    }
  }
}
