/** POST /v1/query/funnel and the other kinds of questions about behaviour: one object or a list of at most 10. */
import type { BindingTime } from '../../base/index.js';
import * as schemas from '../../interface/index.js';
import type { BehaviourAnswer, BehaviourKind, BehaviourPlan, Condition } from '../../ir/index.js';
import type { DatabaseModel } from '../../schema/index.js';
import type { Access } from '../body/access.js';
import type { Json } from '../body/json.js';
import { bindQuery } from '../condition/condition.js';
import { AnswerText } from '../query/aggregate-text.js';
import { bindQueries, type NamedQuery } from '../query/query-list.js';
import { bindActives, bindLifecycle, bindStickiness } from './activity.js';
import { bindCompare } from './compare.js';
import { bindFlow } from './flow.js';
import { bindFunnel } from './funnel.js';
import type { BoundQuestion, QuestionKind } from './kind.js';
import { bindOverlap } from './overlap.js';
import type { QuestionCallFields } from './question.js';
import { bindRetention } from './retention.js';
import { bindSequence } from './sequence.js';
import { bindSessions } from './sessions.js';
import { bindTimeline } from './timeline.js';

const kind = <F extends QuestionCallFields>(
  schema: schemas.Body<F>,
  bind: QuestionKind<F>['bind'],
): QuestionKind<F> => ({ schema, bind });

/** All kinds; the path of a kind's endpoint is POST /v1/query/<kind>. */
const QUESTION_KINDS = {
  funnel: kind(schemas.funnel, bindFunnel),
  retention: kind(schemas.retention, bindRetention),
  lifecycle: kind(schemas.activity, bindLifecycle),
  stickiness: kind(schemas.activity, bindStickiness),
  actives: kind(schemas.actives, bindActives),
  sequence: kind(schemas.sequence, bindSequence),
  sessions: kind(schemas.sessions, bindSessions),
  flow: kind(schemas.flow, bindFlow),
  overlap: kind(schemas.overlap, bindOverlap),
  compare: kind(schemas.compare, bindCompare),
  timeline: kind(schemas.timeline, bindTimeline),
} as const satisfies { readonly [Kind in BehaviourKind]: unknown };

export interface PlannedQuestion {
  readonly plan: BehaviourPlan;
  readonly write: BoundQuestion['write'];
}
export type NamedQuestion = NamedQuery<PlannedQuestion>;

/** Binds every question of the body; an error reports every invalid field of each. Throws the errors of `bindQueries` too. */
export function bindBehaviour(
  name: BehaviourKind,
  body: Json,
  model: DatabaseModel,
  nowMs: BindingTime,
  access: Access,
): readonly NamedQuestion[] {
  const { schema, bind } = QUESTION_KINDS[name] as unknown as QuestionKind<QuestionCallFields>;
  return bindQueries(body, model, schema, ({ body: question, dimension, queryPath }) => {
    if (dimension === null) return null;
    const { checkColumn } = access;
    const { scope, write } = bind({
      ...{ body: question, dimension, databaseId: model.id, nowMs, checkColumn },
      bindNested: (query, path) => bindQuery(query, dimension, nowMs, { checkColumn, path }),
      restrict: (condition: Condition | null) => access.restrict(dimension, condition, nowMs),
      prefix: queryPath.slice(0, -'query'.length),
    });
    return { plan: { ...scope, databaseId: model.id, dimensionId: dimension.id }, write };
  });
}

/** The `result` of an answer as JSON text: `answers[i]` belongs to `questions[i]`. Throws 9006 if it is too long. */
export function behaviourResult(
  questions: readonly NamedQuestion[],
  answers: readonly BehaviourAnswer[],
): string {
  const text = new AnswerText();
  text.writeAll('{', [...questions.entries()], '}', ([index, { name, bound }]) => {
    text.write(`${JSON.stringify(name)}:`);
    bound.write(text, answers[index]);
  });
  return text.toString();
}
