/** Questions about behaviour as tables of SQL: the question is bound as by its endpoint, and its answer becomes rows. */
import { type BindingTime, QuarryError } from '../../base/index.js';
import { BEHAVIOUR_KINDS, QUESTION_COLUMNS, type QuestionColumn } from '../../interface/index.js';
import {
  type BehaviourKind,
  type Constant,
  periodCount,
  slotsPerGroup,
  type TableQuestion,
} from '../../ir/index.js';
import { type DatabaseModel, parseInstant } from '../../schema/index.js';
import type { SqlType } from '../../vector/index.js';
import type { Access } from '../body/access.js';
import { objectAt } from '../body/fields.js';
import { ExactNumber, type Json, parseJson } from '../body/json.js';
import { AnswerText } from '../query/aggregate-text.js';
import { bindBehaviour } from './kinds.js';

export interface QuestionTable {
  readonly question: TableQuestion;
  readonly columns: readonly {
    readonly name: string;
    readonly type: SqlType;
    readonly traits: { readonly points: false; readonly letters: 'mixed' };
  }[];
}

const NAME = 'query';
/** Rows of a question are made in one turn of the main thread. */
const NUMBERS_MAX = 200_000;

/**
 * The table of the question `text`, the JSON object that the endpoint of its kind takes (null = the caller has none); null =
 * there is no such kind. Throws the errors of the endpoint, and 4038 for an answer of more than NUMBERS_MAX numbers.
 */
export function bindQuestionTable(
  name: string,
  text: string | null,
  model: DatabaseModel,
  nowMs: BindingTime,
  access: Access,
): QuestionTable | 'no question' | null {
  const kind = BEHAVIOUR_KINDS.find((one) => one === name);
  if (kind === undefined) return null;
  if (text === null) return 'no question';
  const json = objectAt(parseJson(new TextEncoder().encode(text)), 4004, `the argument of ${kind}`);
  const body = new Map<string, Json>([...json, ['query-name', NAME]]);
  const [{ bound }] = bindBehaviour(kind, body, model, nowMs, access);
  const { plan } = bound;
  const histogram = json.get('histogram');
  const classes = histogram instanceof ExactNumber ? Number(histogram.text) : 0;
  const slots = slotsPerGroup(plan) + classes * (periodCount(plan.periods) + 1);
  const numbers = slots * ((plan.breakdown?.limit ?? -2) + 3);
  if (numbers > NUMBERS_MAX) {
    throw new QuarryError(
      4038,
      `the answer would have up to ${numbers} numbers, and a table takes ${NUMBERS_MAX}`,
    );
  }
  const columns = QUESTION_COLUMNS[kind];
  const rowsOf: TableQuestion['rowsOf'] = (answer) => {
    const written = new AnswerText();
    bound.write(written, answer);
    const rows = ROWS[kind](JSON.parse(written.toString()) as Answer);
    return rows.map((row) => columns.map((column) => storedValue(row[column.name], column)));
  };
  return {
    question: { kind, plan, rowsOf },
    columns: columns.map(({ name: label, type }) => ({
      name: label,
      type: { type },
      traits: { points: false, letters: 'mixed' },
    })),
  };
}

/** An object of an answer. */
type Answer = { readonly [member: string]: unknown };
type Row = { readonly [column: string]: unknown };

const listIn = (of: Answer, member: string): readonly Answer[] => (of[member] ?? []) as readonly Answer[];

const periodOf = ({ between }: Answer): Row => {
  const [from, to] = between as readonly [string, string];
  return { from, to };
};
const groupOf = ({ value, others }: Answer): Row => ({ value, others: others === true });

function statsOf(of: Answer, name: string): Row {
  const stats = (of[name] ?? {}) as Answer;
  return { [`${name}-avg`]: stats.avg, [`${name}-median`]: stats.median, [`${name}-p90`]: stats.p90 };
}

/** The rows of the whole answer, of its groups and of its periods. */
const inParts = (answer: Answer, rowsOf: (of: Answer) => readonly Row[]): readonly Row[] => [
  ...rowsOf(answer).map((row) => ({ part: 'whole', ...row })),
  ...listIn(answer, 'groups').flatMap((group) =>
    rowsOf(group).map((row) => ({ part: 'group', ...groupOf(group), ...row })),
  ),
  ...listIn(answer, 'series').flatMap((period) =>
    rowsOf(period).map((row) => ({ part: 'series', ...periodOf(period), ...row })),
  ),
];

/** The steps, each before the classes of its histogram. */
const stepsOf = (answer: Answer): readonly Row[] =>
  listIn(answer, 'steps').flatMap((step, index): readonly Row[] => {
    const { name } = step;
    const head = { step: index + 1, name };
    return [
      { ...step, ...head, ...statsOf(step, 'seconds') },
      ...listIn(step, 'histogram').map(({ from, to, count }) => {
        return { ...head, 'seconds-from': from, 'seconds-to': to, count };
      }),
    ];
  });

function retained(of: Answer, head: Row): readonly Row[] {
  const ratios = (of.ratios ?? []) as readonly unknown[];
  return (of.counts as readonly number[]).map((count, period) => {
    return { ...head, size: of.size, period, count, ratio: ratios[period] };
  });
}

const retentionOf = (of: Answer, prefix: string, head: Row): readonly Row[] => [
  ...listIn(of, 'cohorts').flatMap((cohort) =>
    retained(cohort, { ...head, part: `${prefix}cohort`, ...periodOf(cohort) }),
  ),
  ...retained(of.total as Answer, { ...head, part: `${prefix}total` }),
];

const periodsOf = (answer: Answer): readonly Row[] =>
  listIn(answer, 'series').map((period) => ({ ...period, ...periodOf(period) }));

const flowRows = (answer: Answer): readonly Row[] => [
  ...listIn(answer, 'levels').flatMap((level, index): readonly Row[] => [
    ...listIn(level, 'nodes').map((node, at) => {
      return { ...node, part: 'node', level: index + 1, node: at, others: node.others === true };
    }),
    { part: 'ended', level: index + 1, count: level.ended },
  ]),
  ...listIn(answer, 'links').map((link) => ({ ...link, part: 'link', node: link.from })),
];

function comparedRow({ counts, shares, ...rest }: Answer): Row {
  const [[count1, count2], [share1, share2]] = [counts, shares] as readonly (readonly unknown[])[];
  return { ...rest, 'count-1': count1, 'count-2': count2, 'share-1': share1, 'share-2': share2 };
}

const ROWS: Readonly<Record<BehaviourKind, (answer: Answer) => readonly Row[]>> = {
  funnel: (answer) => inParts(answer, stepsOf),
  retention: (answer) => [
    ...retentionOf(answer, '', {}),
    ...listIn(answer, 'groups').flatMap((group) => retentionOf(group, 'group ', groupOf(group))),
  ],
  lifecycle: periodsOf,
  actives: periodsOf,
  stickiness: (answer) => listIn(answer, 'counts'),
  sequence: (answer) => [answer],
  sessions: (answer) =>
    inParts(answer, (of) => [{ ...of, ...statsOf(of, 'seconds'), ...statsOf(of, 'events') }]),
  flow: flowRows,
  overlap: (answer) => [
    ...listIn(answer, 'segments').map((segment) => ({ ...segment, part: 'segment' })),
    ...listIn(answer, 'combinations').map((combination) => ({ ...combination, part: 'combination' })),
  ],
  compare: (answer) => (answer as unknown as readonly Answer[]).map(comparedRow),
  timeline: (answer) => listIn(answer, 'data'),
};

/** The value in its stored form. */
function storedValue(value: unknown, { type }: QuestionColumn): Constant['value'] {
  if (value === undefined || value === null) return null;
  switch (type) {
    case 'integer':
      return BigInt(value as number);
    case 'float':
      return value as number;
    case 'boolean':
      return value as boolean;
    case 'datetime':
      return BigInt(parseInstant(value as string) as number);
    case 'text':
      return typeof value === 'string' ? value : JSON.stringify(value);
  }
}
