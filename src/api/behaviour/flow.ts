/** POST /v1/query/flow: what follows or precedes an event, level by level. */
import { QuarryError } from '../../base/index.js';
import type { flow } from '../../interface/index.js';
import {
  type BehaviourAnswer,
  type BehaviourEvent,
  type FlowQuestion,
  flowSlots,
  nodeOfKey,
} from '../../ir/index.js';
import type { Column } from '../../schema/index.js';
import { readAll } from '../body/fields.js';
import type { Json } from '../body/json.js';
import type { AnswerText } from '../query/aggregate-text.js';
import { EventBinder, valueColumnOf } from './event.js';
import type { BoundQuestion } from './kind.js';
import { samplesOf, statsOf } from './numbers.js';
import { bindShared, type QuestionCall, scopeOf, secondsOf } from './question.js';
import { inOrder, streamColumns, streamEvent } from './stream.js';

export type FlowFields = (typeof flow)['properties'];
type FlowCall = QuestionCall<FlowFields>;

const DEPTH_DEFAULT = 4;
const LIMIT_DEFAULT = 8;

export function bindFlow(call: FlowCall): BoundQuestion {
  const { body, dimension, checkColumn, prefix } = call;
  const binder = new EventBinder(dimension, checkColumn);
  const { shared, start, names, ...rules } = readAll({
    shared: () => bindShared(call),
    start: () => startOf(binder, body.get('start') as Json, `${prefix}start`),
    names: () => body.get('stream') ?? null,
    depth: () => body.get('depth') ?? DEPTH_DEFAULT,
    limit: () => body.get('limit') ?? LIMIT_DEFAULT,
    isBackward: () => body.get('direction') === 'before',
    within: () => {
      const text = body.get('within') ?? null;
      return text === null ? null : secondsOf(text, `${prefix}within`);
    },
    isEvery: () => body.get('from') === 'every',
    collapse: () => body.get('collapse') ?? false,
  });
  const own = binder.columnsOf(start);
  const { stream } = readAll({
    stream: () => (names === null ? own : streamColumns(binder, names, `${prefix}stream`)),
  });
  const columns = inOrder([...stream, ...own]);
  const question: FlowQuestion = { kind: 'flow', ...rules };
  const plan = scopeOf(shared, {
    events: [streamEvent(stream), start],
    streams: [0],
    values: columns.map(valueColumnOf),
    question,
  });
  return { scope: plan, write: (text, answer) => writeFlow(text, question, columns, answer) };
}

/** Throws 9101 if the event names several columns. */
function startOf(binder: EventBinder, json: Json, path: string): BehaviourEvent {
  const event = binder.eventObject(json, path);
  const ids = new Set(event.flatMap((tests) => tests.map(({ columnId }) => columnId)));
  if (ids.size === 1) return event;
  throw new QuarryError(9101, `${path}.event must name one column`);
}

interface FlowNode {
  readonly column: string;
  readonly value: string;
}

function writeFlow(
  text: AnswerText,
  question: FlowQuestion,
  columns: readonly Column[],
  answer: BehaviourAnswer,
): void {
  const nodes = Array.from({ length: question.depth }, (): FlowNode[] => []);
  for (const key of answer.groups) {
    const { level, column, value } = nodeOfKey(key);
    nodes[level].push({ column: columns[column].apiName, value });
  }
  text.writeAll('{"levels":[', [...nodes.entries()], ']', ([level, own]) => {
    writeLevel(text, question, own, answer.counts.subarray(level * flowSlots(question).levelSlots));
  });
  text.writeAll(',"links":[', linksOf(question, nodes, answer), ']}', (link) => text.write(link));
}

function writeLevel(
  text: AnswerText,
  { limit }: FlowQuestion,
  nodes: readonly FlowNode[],
  counts: Float64Array,
): void {
  const members = nodes.map(
    ({ column, value }, index) =>
      `{"column":${JSON.stringify(column)},"value":${JSON.stringify(value)},"count":${counts[index]}}`,
  );
  if (counts[limit] > 0) members.push(`{"others":true,"count":${counts[limit]}}`);
  text.writeAll('{"nodes":[', members, `],"ended":${counts[limit + 1]}}`, (member) => text.write(member));
}

/** The links with a path, as JSON; the others of a level are its last node. */
function linksOf(
  question: FlowQuestion,
  nodes: readonly (readonly FlowNode[])[],
  { counts, samples }: BehaviourAnswer,
): readonly string[] {
  const { linkSlots, linksAt } = flowSlots(question);
  const width = question.limit + 1;
  const indexOf = (level: number, node: number): number =>
    node === question.limit ? nodes[level].length : node;
  const links: string[] = [];
  for (let slot = linksAt; slot < linksAt + (question.depth - 1) * linkSlots; slot++) {
    if (counts[slot] === 0) continue;
    const level = Math.floor((slot - linksAt) / linkSlots);
    const pair = (slot - linksAt) % linkSlots;
    const [from, to] = [indexOf(level, Math.floor(pair / width)), indexOf(level + 1, pair % width)];
    const { median } = statsOf(samplesOf(samples, slot));
    links.push(
      `{"level":${level + 1},"from":${from},"to":${to},"count":${counts[slot]},"median-seconds":${median}}`,
    );
  }
  return links;
}
