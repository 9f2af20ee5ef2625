/** POST /v1/query/timeline: the events of one entity, newest first, in pages. */
import { checkAll } from '../../base/index.js';
import type { timeline } from '../../interface/index.js';
import type { BehaviourAnswer, TimelineGroup, TimelinePosition, TimelineQuestion } from '../../ir/index.js';
import { type Column, isEventType, storedText } from '../../schema/index.js';
import { readAll } from '../body/fields.js';
import { openedText, pageTokenError, sealedText, type TokenOwner } from '../extraction/page-token.js';
import type { AnswerText } from '../query/aggregate-text.js';
import { EventBinder, valueColumnOf } from './event.js';
import type { BoundQuestion } from './kind.js';
import { bindShared, isAllowed, type QuestionCall, scopeOf } from './question.js';
import { inOrder } from './stream.js';

export type TimelineFields = (typeof timeline)['properties'];
type TimelineCall = QuestionCall<TimelineFields>;

const LIMIT_DEFAULT = 100;

export function bindTimeline(call: TimelineCall): BoundQuestion {
  const { body, dimension, databaseId } = call;
  const { shared, entityId, columns, limit, token } = readAll({
    shared: () => bindShared(call),
    entityId: () => storedText(body.get('entity-id'), dimension),
    columns: () => columnsOf(call),
    limit: () => body.get('limit') ?? LIMIT_DEFAULT,
    token: () => body.get('page-token') ?? null,
  });
  const owner: TokenOwner = { endpoint: 'timeline', caller: '', databaseId, body: body.object };
  const question: TimelineQuestion = {
    kind: 'timeline',
    entityId,
    ...groupsOf(call, columns),
    limit,
    after: token === null ? null : positionIn(openedText(owner, token)),
  };
  const plan = scopeOf(shared, {
    question,
  });
  return { scope: plan, write: (text, answer) => writeTimeline(text, owner, limit, answer) };
}

function columnsOf(call: TimelineCall): readonly Column[] {
  const { body, dimension, checkColumn, prefix } = call;
  const names = body.get('columns') ?? null;
  if (names !== null) {
    const binder = new EventBinder(dimension, checkColumn);
    return inOrder(checkAll(names, (name) => binder.eventColumn(name, `${prefix}columns`)));
  }
  const all = [...dimension.columns.values()];
  return inOrder(
    all.filter((column) => column.active && isEventType(column.type) && isAllowed(call, column)),
  );
}

/** Columns by relation, those of a relation in its order. */
function groupsOf(
  { dimension }: TimelineCall,
  columns: readonly Column[],
): Pick<TimelineQuestion, 'groups' | 'columns'> {
  const relations = [...dimension.relations.values()];
  const related = relations.map(({ name, columnIds }) => ({
    group: { name, isRelation: true },
    own: columnIds.flatMap((id) => columns.find((column) => column.id === id) ?? []),
  }));
  const isRelated = (column: Column): boolean =>
    relations.some(({ columnIds }) => columnIds.includes(column.id));
  const alone = columns
    .filter((column) => !isRelated(column))
    .map((column) => ({ group: { name: column.apiName, isRelation: false }, own: [column] }));
  const all = [...related, ...alone]
    .filter(({ own }) => own.length > 0)
    .sort((a, b) => compareGroups(a.group, b.group));
  return {
    groups: all.map(({ group }) => group),
    columns: all.flatMap(({ own }, group) =>
      own.map((column) => ({ column: valueColumnOf(column), name: column.apiName, group })),
    ),
  };
}

const compareGroups = (a: TimelineGroup, b: TimelineGroup): number =>
  Buffer.compare(Buffer.from(a.name), Buffer.from(b.name)) || Number(a.isRelation) - Number(b.isRelation);

function writeTimeline(
  text: AnswerText,
  owner: TokenOwner,
  limit: number,
  { rows = [] }: BehaviourAnswer,
): void {
  const page = rows.slice(0, limit);
  text.writeAll('{"data":[', page, ']', ({ json }) => text.write(json));
  if (rows.length > limit) {
    text.write(`,"page-token":"${sealedText(owner, positionText(page[limit - 1].position))}"`);
  }
  text.write('}');
}

const positionText = ({ date, name, isRelation, texts, repeats }: TimelinePosition): string =>
  JSON.stringify([date, name, isRelation, texts, repeats]);

/** Throws 4029 for a text that `positionText` did not write. */
function positionIn(text: string): TimelinePosition {
  let fields: unknown;
  try {
    fields = JSON.parse(text);
  } catch {
    throw pageTokenError();
  }
  if (!Array.isArray(fields) || fields.length !== 5) throw pageTokenError();
  const [date, name, isRelation, texts, repeats]: unknown[] = fields;
  const isText = (value: unknown): value is string => typeof value === 'string';
  const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;
  if (!isCount(date) || !isText(name) || typeof isRelation !== 'boolean') throw pageTokenError();
  if (!Array.isArray(texts) || !texts.every(isText) || !isCount(repeats)) throw pageTokenError();
  return { date, name, isRelation, texts, repeats };
}
