/**
 * Conditions on behaviour in condition lists: `{"funnel": {...}}`, `{"sequence": {...}}`, `{"retention": {...}}`, `{"active": {...}}`. A column of such a
 * name is not hidden: the fields of its predicates are others.
 */
import { QuarryError } from '../../base/index.js';
import * as schemas from '../../interface/index.js';
import { type BehaviourTest, type Condition, periodCount, type RetentionQuestion } from '../../ir/index.js';
import type { Dimension } from '../../schema/index.js';
import { readAll } from '../body/fields.js';
import { isObject, type Json, type JsonObject } from '../body/json.js';
import { RequestBody } from '../body/request-body.js';
import { readInstant } from '../condition/window.js';
import { type ActivityFields, bindStickiness } from './activity.js';
import { bindFunnel, type FunnelFields } from './funnel.js';
import type { BoundQuestion } from './kind.js';
import { type QuestionCall, type QuestionCallFields, zoneOf } from './question.js';
import { bindRetention, type RetentionFields } from './retention.js';
import { bindSequence, type SequenceFields } from './sequence.js';

type Scope = BoundQuestion['scope'];
/** What a condition list knows of the question. */
export type ConditionCall = Pick<QuestionCall, 'dimension' | 'nowMs' | 'checkColumn' | 'bindNested'>;

interface ConditionKind {
  readonly schema: schemas.Body;
  /** The field by which the condition differs from predicates on a column of its name. */
  readonly field: string;
  readonly bind: (call: QuestionCall) => { readonly question: Scope; readonly test: BehaviourTest };
}

const CONDITION_KINDS: Readonly<Record<string, ConditionKind>> = {
  funnel: { schema: schemas.funnelCondition, field: 'steps', bind: bindReached },
  sequence: { schema: schemas.sequenceCondition, field: 'pattern', bind: bindMatched },
  retention: { schema: schemas.retentionCondition, field: 'start', bind: bindMember },
  active: { schema: schemas.activeCondition, field: 'event', bind: bindActive },
};

/** Whether the object is a condition on behaviour, and not one on a column of that name. */
export function isBehaviourCondition(object: JsonObject, dimension: Dimension): boolean {
  if (object.size !== 1) return false;
  const [[name, fields]] = object;
  if (!Object.hasOwn(CONDITION_KINDS, name) || !isObject(fields)) return false;
  return fields.has(CONDITION_KINDS[name].field) || dimension.columns.get(name)?.active !== true;
}

/** Throws the errors of the question, and 9101. */
export function bindBehaviourCondition(object: JsonObject, call: ConditionCall, path: string): Condition {
  const [[name, json]] = object;
  const { schema, bind } = CONDITION_KINDS[name];
  const at = `${path}.${name}`;
  const body = RequestBody.of(schema, json, at, 'path') as unknown as RequestBody<QuestionCallFields>;
  return body.read(() => {
    checkDimension(body, call.dimension, at);
    const { question, test } = bind({
      ...call,
      body,
      databaseId: 0,
      prefix: `${at}.`,
      restrict: (condition) => condition,
    });
    return { op: 'behaviour', question: { ...question, breakdown: null }, test };
  });
}

/** The condition is on entities of the dimension of its list. */
function checkDimension(body: RequestBody<QuestionCallFields>, dimension: Dimension, path: string): void {
  const name = body.get('dimension');
  if (name === undefined || name === null || name === dimension.apiName) return;
  throw new QuarryError(9101, `${path}.dimension must be that of the condition list, ${dimension.apiName}`);
}

function bindReached(call: QuestionCall): ReturnType<ConditionKind['bind']> {
  const body = call.body as unknown as RequestBody<typeof schemas.funnelCondition.properties>;
  const { scope, reached, missed } = readAll({
    scope: () => bindFunnel(call as unknown as QuestionCall<FunnelFields>).scope,
    reached: () => body.get('reached'),
    missed: () => body.get('not-reached') ?? null,
  });
  const count = (body.get('steps') as readonly Json[]).length;
  for (const [field, step] of [
    ['reached', reached],
    ['not-reached', missed],
  ] as const) {
    if (step !== null && step > count) {
      throw new QuarryError(9101, `${call.prefix}${field} must be at most ${count}, the number of steps`);
    }
  }
  const test = { kind: 'funnel', reached: reached - 1, missed: missed === null ? null : missed - 1 } as const;
  return { question: scope, test };
}

function bindMatched(call: QuestionCall): ReturnType<ConditionKind['bind']> {
  const { scope } = bindSequence(call as unknown as QuestionCall<SequenceFields>);
  return { question: scope, test: { kind: 'sequence' } };
}

function bindMember(call: QuestionCall): ReturnType<ConditionKind['bind']> {
  const body = call.body as unknown as RequestBody<typeof schemas.retentionCondition.properties>;
  const { scope, instant, bracket } = readAll({
    scope: () => bindRetention(call as unknown as QuestionCall<RetentionFields>).scope,
    instant: () => readInstant(body.get('cohort-of'), call.nowMs, `${call.prefix}cohort-of`, zoneOf(call)),
    bracket: () => body.get('period') ?? null,
  });
  const { brackets } = scope.question as RetentionQuestion;
  if (bracket !== null && bracket >= brackets.length) {
    throw new QuarryError(
      9101,
      `${call.prefix}period must be below ${brackets.length}, the number of periods`,
    );
  }
  const after = scope.periods.findIndex((start) => start > instant);
  const cohort = after > 0 && after <= periodCount(scope.periods) ? after - 1 : -1;
  return { question: scope, test: { kind: 'retention', cohort, bracket } };
}

function bindActive(call: QuestionCall): ReturnType<ConditionKind['bind']> {
  const body = call.body as unknown as RequestBody<typeof schemas.activeCondition.properties>;
  const { scope, atLeast, atMost } = readAll({
    scope: () => bindStickiness(call as unknown as QuestionCall<ActivityFields>).scope,
    atLeast: () => body.get('at-least') ?? 1,
    atMost: () => body.get('at-most') ?? schemas.PERIODS_MAX,
  });
  return { question: scope, test: { kind: 'active', atLeast, atMost } };
}
