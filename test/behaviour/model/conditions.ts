/** Condition lists over an entity, in three-valued logic, with the conditions on behaviour. */
import { type ActiveCondition, isActiveEnough } from './activity.js';
import { holdsAll, isIn } from './events.js';
import { type FunnelCondition, reaches } from './funnel.js';
import type { Entity, History, Scalar } from './history.js';
import { instantOf } from './periods.js';
import type { Condition, Predicates, Query } from './question.js';
import { isInCohort, type RetentionCondition } from './retention.js';
import { hasMatch, type SequenceFields } from './sequence.js';

/** null = unknown. */
type Truth = boolean | null;

const every = (truths: readonly Truth[]): Truth => {
  if (truths.includes(false)) return false;
  return truths.includes(null) ? null : true;
};
const not = (truth: Truth): Truth => (truth === null ? null : !truth);
const some = (truths: readonly Truth[]): Truth => not(every(truths.map(not)));

/** The history, with its judgement of condition lists. */
export const historyOf = (stored: Omit<History, 'satisfies'>): History => {
  const history: History = {
    ...stored,
    satisfies: (query, entity) =>
      query === undefined || query.length === 0 || judgeList(query, entity, history) === true,
  };
  return history;
};

/** `not` binds the first operand, then `and`, then `or`. */
function judgeList(list: Query, entity: Entity, history: History): Truth {
  const alternatives: Truth[][] = [[]];
  let isNegated = false;
  for (const element of list) {
    if (element === 'not') isNegated = true;
    else if (element === 'or') alternatives.push([]);
    else if (element !== 'and') {
      const truth = Array.isArray(element)
        ? judgeList(element, entity, history)
        : judge(element as Condition, entity, history);
      alternatives[alternatives.length - 1].push(isNegated ? not(truth) : truth);
      isNegated = false;
    }
  }
  return some(alternatives.map(every));
}

function judge(condition: Condition, entity: Entity, history: History): Truth {
  const [[name, fields]] = Object.entries(condition);
  if (name === 'segment') return judgeSegment(String(fields), entity, history);
  if (name === 'funnel') return reaches(fields as FunnelCondition, entity, history);
  if (name === 'retention') return isInCohort(fields as RetentionCondition, entity, history);
  if (name === 'sequence') return hasMatch(fields as SequenceFields, entity, history);
  if (name === 'active') return isActiveEnough(fields as ActiveCondition, entity, history);
  const predicates = fields as Predicates;
  if (history.eventColumns.includes(name)) return judgeEvents(name, predicates, entity);
  const value = name === 'entity-id' ? entity.id : entity.attributes.get(name);
  if (value === undefined) return null;
  return Array.isArray(value) ? judgeItems(value, predicates) : holdsAll(value as Scalar, predicates);
}

function judgeSegment(name: string, entity: Entity, history: History): Truth {
  const segment = history.segments.get(name);
  if (segment === undefined) throw new Error(`the model has no segment ${name}`);
  return 'ids' in segment ? segment.ids.includes(entity.id) : judgeList(segment.query, entity, history);
}

/** Whether one item satisfies all plain predicates, and no item satisfies a predicate that `not-` negates. */
function judgeItems(items: readonly Scalar[], predicates: Predicates): boolean {
  const part = (isNegated: boolean): Predicates =>
    Object.fromEntries(Object.entries(predicates).filter(([word]) => word.startsWith('not-') === isNegated));
  return (
    (Object.keys(part(false)).length === 0 || items.some((item) => holdsAll(item, part(false)))) &&
    items.every((item) => holdsAll(item, part(true)))
  );
}

/** At least `minfreq` events inside `between`, whose dates are in UTC; unknown without any event of the column. */
function judgeEvents(column: string, predicates: Predicates, entity: Entity): Truth {
  const dated = entity.events.flatMap(({ values }) => values.get(column) ?? []);
  if (dated.length === 0) return null;
  const [a, b] = (predicates.between as readonly string[]).map((text) => instantOf(text, 'UTC'));
  const window = [Math.min(a, b), Math.max(a, b)] as const;
  const found = dated.filter(({ seconds, value }) => isIn(seconds, window) && holdsAll(value, predicates));
  return found.length >= Number(predicates.minfreq ?? 1);
}
