/**
 * Conditions in a form that MessagePack supports: no BigInt. The form is part of the log's format: fields are only ever
 * added, with a defined meaning of their absence.
 */
import type {
  BehaviourQuestion,
  BehaviourScope,
  BehaviourTest,
  Condition,
  EventTest,
  FunnelQuestion,
  IntRange,
  ValueTest,
} from './condition.js';

interface PlainRange {
  readonly low: string;
  readonly high: string;
}
type PlainTest =
  | Exclude<ValueTest, { kind: 'ranges' }>
  | { readonly kind: 'ranges'; readonly ranges: readonly PlainRange[]; readonly negated: boolean };
type PlainEvent = Omit<EventTest, 'tests'> & { readonly tests: readonly PlainTest[] };
type PlainCondition =
  | { readonly op: 'attribute'; readonly columnId: number; readonly tests: readonly PlainTest[] }
  | { readonly op: 'missing'; readonly columnId: number }
  | { readonly op: 'entity-id'; readonly tests: readonly PlainTest[] }
  | { readonly op: 'event'; readonly event: PlainEvent; readonly minfreq: number }
  | { readonly op: 'freqgroup'; readonly events: readonly PlainEvent[]; readonly minfreq: number }
  | { readonly op: 'behaviour'; readonly question: PlainScope; readonly test: BehaviourTest }
  | { readonly op: 'segment'; readonly segmentId: number; readonly condition: PlainCondition | null }
  | { readonly op: 'and' | 'or'; readonly members: readonly PlainCondition[] }
  | { readonly op: 'not'; readonly member: PlainCondition };

interface PlainColumnTest {
  readonly columnId: number;
  readonly tests: readonly PlainTest[];
}
type PlainFunnel = Omit<FunnelQuestion, 'stepConditions'> & {
  readonly stepConditions: readonly (PlainCondition | null)[];
};
type PlainScope = Omit<BehaviourScope, 'condition' | 'events' | 'question'> & {
  readonly condition: PlainCondition | null;
  readonly events: readonly (readonly (readonly PlainColumnTest[])[])[];
  readonly question: PlainFunnel | Exclude<BehaviourQuestion, FunnelQuestion>;
};

const plainRange = ({ low, high }: IntRange): PlainRange => ({ low: String(low), high: String(high) });
const rangeOf = ({ low, high }: PlainRange): IntRange => ({ low: BigInt(low), high: BigInt(high) });

const plainTest = (test: ValueTest): PlainTest =>
  test.kind === 'ranges' ? { ...test, ranges: test.ranges.map(plainRange) } : test;
const testOf = (plain: PlainTest): ValueTest =>
  plain.kind === 'ranges' ? { ...plain, ranges: plain.ranges.map(rangeOf) } : plain;

const plainEvent = (event: EventTest): PlainEvent => ({ ...event, tests: event.tests.map(plainTest) });
const eventOf = (plain: PlainEvent): EventTest => ({ ...plain, tests: plain.tests.map(testOf) });

export function conditionToPlain(condition: Condition): unknown {
  return plainOf(condition);
}

function plainOf(condition: Condition): PlainCondition {
  switch (condition.op) {
    case 'attribute':
    case 'entity-id':
      return { ...condition, tests: condition.tests.map(plainTest) };
    case 'missing':
      return condition;
    case 'event':
      return { ...condition, event: plainEvent(condition.event) };
    case 'freqgroup':
      return { ...condition, events: condition.events.map(plainEvent) };
    case 'behaviour':
      return { ...condition, question: plainScope(condition.question) };
    case 'segment':
      return { ...condition, condition: condition.condition === null ? null : plainOf(condition.condition) };
    case 'not':
      return { op: 'not', member: plainOf(condition.member) };
    default:
      return { op: condition.op, members: condition.members.map(plainOf) };
  }
}

/** Restores a condition from the result of `conditionToPlain`. The source bytes are protected by a checksum. */
export function conditionFromPlain(plain: unknown): Condition {
  return conditionOf(plain as PlainCondition);
}

function conditionOf(plain: PlainCondition): Condition {
  switch (plain.op) {
    case 'attribute':
    case 'entity-id':
      return { ...plain, tests: plain.tests.map(testOf) };
    case 'missing':
      return plain;
    case 'event':
      return { ...plain, event: eventOf(plain.event) };
    case 'freqgroup':
      return { ...plain, events: plain.events.map(eventOf) };
    case 'behaviour':
      return { ...plain, question: scopeOf(plain.question) };
    case 'segment':
      return { ...plain, condition: plain.condition === null ? null : conditionOf(plain.condition) };
    case 'not':
      return { op: 'not', member: conditionOf(plain.member) };
    default:
      return { op: plain.op, members: plain.members.map(conditionOf) };
  }
}

function plainScope(scope: BehaviourScope): PlainScope {
  const { question, condition, events } = scope;
  const orNull = (one: Condition | null): PlainCondition | null => (one === null ? null : plainOf(one));
  return {
    ...scope,
    condition: orNull(condition),
    events: events.map((event) =>
      event.map((tests) => tests.map((test) => ({ ...test, tests: test.tests.map(plainTest) }))),
    ),
    question:
      question.kind === 'funnel'
        ? { ...question, stepConditions: question.stepConditions.map(orNull) }
        : question,
  };
}

function scopeOf(plain: PlainScope): BehaviourScope {
  const { question, condition, events } = plain;
  const orNull = (one: PlainCondition | null): Condition | null => (one === null ? null : conditionOf(one));
  return {
    ...plain,
    condition: orNull(condition),
    events: events.map((event) =>
      event.map((tests) => tests.map((test) => ({ ...test, tests: test.tests.map(testOf) }))),
    ),
    question:
      question.kind === 'funnel'
        ? { ...question, stepConditions: question.stepConditions.map(orNull) }
        : question,
  };
}
