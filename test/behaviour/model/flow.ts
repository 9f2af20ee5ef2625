/** Flows: what follows or precedes an event, step by step. */
import {
  alternativesOf,
  columnsOf,
  compareInStream,
  holdsAll,
  isIn,
  type StreamEvent,
  streamOf,
} from './events.js';
import { type Entity, type History, textOf } from './history.js';
import { percentile } from './numbers.js';
import { windowOf } from './periods.js';
import { type EventChoice, type EventClause, type Shared, secondsOf } from './question.js';

export interface FlowFields extends Shared {
  /** Names one column. */
  readonly start: EventClause;
  readonly stream?: readonly string[];
  readonly depth?: number;
  readonly limit?: number;
  readonly direction?: 'after' | 'before';
  readonly within?: string;
  readonly from?: 'first' | 'every';
  readonly collapse?: boolean;
}

const DEPTH_DEFAULT = 4;
const LIMIT_DEFAULT = 8;

type Path = readonly StreamEvent[];

interface FlowNode {
  readonly column: string;
  readonly value: string;
  readonly count: number;
}

/** Whether the event of a stream satisfies an EVENT of one column. */
export const satisfiesAlone = ({ column, value }: StreamEvent, choice: EventChoice): boolean =>
  alternativesOf(choice).some(
    (alternative) => alternative[column] !== undefined && holdsAll(value, alternative[column]),
  );

export const isEqual = (a: StreamEvent, b: StreamEvent | undefined): boolean =>
  a.column === b?.column && a.value === b.value;

/** The paths of the entity, up to one event longer than the levels, which tells whether a path ended. */
function pathsOf(fields: FlowFields, entity: Entity): Path[] {
  const { start, depth = DEPTH_DEFAULT } = fields;
  const [startColumn] = columnsOf(start.event);
  const columns = fields.stream ?? [startColumn];
  const window = windowOf(fields);
  const all = streamOf(entity, [...columns, startColumn])
    .filter(
      ({ column, ...event }) => columns.includes(column) || satisfiesAlone({ column, ...event }, start.event),
    )
    .filter(({ seconds }) => isIn(seconds, window));
  const events = fields.collapse ? all.filter((event, index) => !isEqual(event, all[index - 1])) : all;
  const starts = events.filter((event) => satisfiesAlone(event, start.event));
  const chosen = fields.from === 'every' ? starts : starts.slice(0, 1);
  return chosen.map((first) => {
    const at = events.indexOf(first);
    const following = fields.direction === 'before' ? events.slice(0, at).reverse() : events.slice(at + 1);
    const path = [first, ...following.filter(({ column }) => columns.includes(column))];
    return path.slice(0, reach(path, fields)).slice(0, depth + 1);
  });
}

/** How many events of the path are each within the duration of the one before. */
function reach(path: Path, { within }: FlowFields): number {
  const most = within === undefined ? Number.POSITIVE_INFINITY : secondsOf(within);
  const gap = path.findIndex(
    ({ seconds }, index) => index > 0 && Math.abs(seconds - path[index - 1].seconds) > most,
  );
  return gap === -1 ? path.length : gap;
}

/** The most frequent events of a level, and how many there are besides. */
function nodesOf(events: readonly StreamEvent[], limit: number): { nodes: FlowNode[]; others: number } {
  const distinct = events.filter((event, index) => events.findIndex((one) => isEqual(event, one)) === index);
  const countOf = (event: StreamEvent): number => events.filter((one) => isEqual(event, one)).length;
  const nodes = distinct
    .map((event) => ({ event, count: countOf(event) }))
    .sort(
      (a, b) => b.count - a.count || compareInStream({ ...a.event, seconds: 0 }, { ...b.event, seconds: 0 }),
    )
    .slice(0, limit)
    .map(({ event, count }) => ({ column: event.column, value: textOf(event.value), count }));
  return { nodes, others: events.length - nodes.reduce((sum, { count }) => sum + count, 0) };
}

/** The index of the event's node; the others are last. */
function nodeIndex({ column, value }: StreamEvent, nodes: readonly FlowNode[]): number {
  const found = nodes.findIndex((node) => node.column === column && node.value === textOf(value));
  return found === -1 ? nodes.length : found;
}

export function answerFlow(fields: FlowFields, history: History): unknown {
  const { depth = DEPTH_DEFAULT, limit = LIMIT_DEFAULT } = fields;
  const paths = history.entities
    .filter((entity) => history.satisfies(fields.query, entity))
    .flatMap((entity) => pathsOf(fields, entity));
  const levels = Array.from({ length: depth }, (_, level) =>
    nodesOf(
      paths.flatMap((path) => path[level] ?? []),
      limit,
    ),
  );
  const links = levels.slice(1).flatMap(({ nodes: to }, index) => {
    const { nodes: from } = levels[index];
    const steps = paths
      .filter((path) => path.length > index + 1)
      .map((path) => ({
        from: nodeIndex(path[index], from),
        to: nodeIndex(path[index + 1], to),
        seconds: Math.abs(path[index + 1].seconds - path[index].seconds),
      }));
    return linksOf(steps).map((link) => ({ level: index + 1, ...link }));
  });
  return {
    levels: levels.map(({ nodes, others }, level) => ({
      nodes: others === 0 ? nodes : [...nodes, { others: true, count: others }],
      ended: paths.filter((path) => path.length === level + 1).length,
    })),
    links,
  };
}

interface Step {
  readonly from: number;
  readonly to: number;
  readonly seconds: number;
}

/** One link for each pair of nodes that steps connect, by the numbers of the nodes. */
function linksOf(steps: readonly Step[]): object[] {
  const pairs = [...new Set(steps.map(({ from, to }) => from * 1000 + to))].sort((a, b) => a - b);
  return pairs.map((pair) => {
    const [from, to] = [Math.floor(pair / 1000), pair % 1000];
    const seconds = steps.filter((step) => step.from === from && step.to === to).map((step) => step.seconds);
    return { from, to, count: seconds.length, 'median-seconds': percentile(seconds, 50) };
  });
}
