/** POST /v1/query/sequence: entities whose events match a pattern. */
import { checkAll } from '../../base/index.js';
import type { sequence } from '../../interface/index.js';
import { readAll } from '../body/fields.js';
import type { Json } from '../body/json.js';
import { EventBinder } from './event.js';
import type { BoundQuestion } from './kind.js';
import { readPattern } from './pattern.js';
import { bindShared, type QuestionCall, scopeOf } from './question.js';

export type SequenceFields = (typeof sequence)['properties'];

export function bindSequence(call: QuestionCall<SequenceFields>): BoundQuestion {
  const { body, dimension, checkColumn, prefix } = call;
  const binder = new EventBinder(dimension, checkColumn);
  const { shared, conditions, text } = readAll({
    shared: () => bindShared(call),
    conditions: () => body.get('conditions') as readonly Json[],
    text: () => body.get('pattern'),
  });
  const { events, pattern } = readAll({
    events: () =>
      checkAll(conditions, (json, index) => binder.eventObject(json, `${prefix}conditions[${index}]`)),
    pattern: () => readPattern(text, conditions.length, `${prefix}pattern`),
  });
  const plan = scopeOf(shared, {
    events,
    isTied: binder.isTied,
    question: { kind: 'sequence', pattern },
  });
  return {
    scope: plan,
    write: (answer, { counts }) => answer.write(`{"entities":${counts[0]},"matches":${counts[1]}}`),
  };
}
