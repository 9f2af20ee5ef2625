/** BREAKDOWN: the column by whose values an answer is divided, and the groups of the answer. */
import { QuarryError, quoted } from '../../base/index.js';
import { breakdown as breakdownSchema } from '../../interface/index.js';
import type { BehaviourScope } from '../../ir/index.js';
import { type BehaviourAnswer, type Breakdown, slotsPerGroup } from '../../ir/index.js';
import { isEventType } from '../../schema/index.js';
import type { Json } from '../body/json.js';
import { RequestBody } from '../body/request-body.js';
import type { AnswerText } from '../query/aggregate-text.js';
import { type EventBinder, valueColumnOf } from './event.js';

const LIMIT_DEFAULT = 10;

/** Returns the event column of a step; absent = the question has no steps. */
export type StepColumn = (name: string, step: number, path: string) => Breakdown['column'];

/** Throws 506, 4008, 4049, 9101, 9103 and the errors of `stepColumn`. */
export function bindBreakdown(
  json: Json | undefined,
  binder: EventBinder,
  path: string,
  stepColumn?: StepColumn,
): Breakdown | null {
  if (json === undefined || json === null) return null;
  const body = RequestBody.of(breakdownSchema, json, path, 'path');
  return body.read(() => {
    const name = body.get('column');
    const limit = body.get('limit') ?? LIMIT_DEFAULT;
    const step = body.get('step') ?? null;
    if (step !== null) {
      if (stepColumn === undefined) throw new QuarryError(9101, `${path}.step is for funnels only`);
      return { column: stepColumn(name, step, path), of: 'step', step: step - 1, limit };
    }
    const column = binder.column(name, path);
    if (isEventType(column.type) || column.type === 'unique-id') {
      throw new QuarryError(9101, `${path}.column ${quoted(name)} is not an attribute column`);
    }
    const of = column.storage === 'list-of-values' ? 'list' : 'entity';
    return { column: valueColumnOf(column), of, step: 0, limit };
  });
}

/**
 * Writes the member `groups` of an answer, with a comma before it: the chosen values, the others, and those without a value.
 * `count` is the number by which a group counts as empty, `write` its members.
 */
export function writeGroups(
  text: AnswerText,
  plan: BehaviourScope,
  { groups }: BehaviourAnswer,
  count: (slot: number) => number,
  write: (slot: number) => void,
): void {
  if (plan.breakdown === null) return;
  const slots = slotsPerGroup(plan);
  const labels = [
    ...groups.map((value) => `"value":${JSON.stringify(value)}`),
    '"others":true',
    '"value":null',
  ];
  const shown = [...labels.entries()]
    .map(([index, label]) => ({ label, slot: (index + 1) * slots }))
    .filter(({ slot }) => count(slot) > 0);
  text.writeAll(',"groups":[', shown, ']', ({ label, slot }) => {
    text.write(`{${label},`);
    write(slot);
    text.write('}');
  });
}

/** The member `between` of a period. */
export const betweenText = (start: string, end: string): string => `"between":["${start}","${end}"]`;
