/** The models of all kinds of questions, and their answers as JSON text. */
import {
  type ActivesFields,
  type ActivityFields,
  answerActives,
  answerLifecycle,
  answerStickiness,
} from './activity.js';
import { answerCompare, type CompareFields } from './compare.js';
import { answerFlow, type FlowFields } from './flow.js';
import type { FunnelFields } from './funnel.js';
import { answerFunnel } from './funnel-answer.js';
import type { History } from './history.js';
import { Float } from './numbers.js';
import { answerOverlap, type OverlapFields } from './overlap.js';
import { answerRetention, type RetentionFields } from './retention.js';
import { answerSequence, type SequenceFields } from './sequence.js';
import { answerSessions, type SessionsFields } from './sessions.js';
import { answerTimeline, type TimelineFields } from './timeline.js';

/** The fields of each kind of question. */
export interface Questions {
  readonly funnel: FunnelFields;
  readonly retention: RetentionFields;
  readonly lifecycle: ActivityFields;
  readonly stickiness: ActivityFields;
  readonly actives: ActivesFields;
  readonly sequence: SequenceFields;
  readonly flow: FlowFields;
  readonly sessions: SessionsFields;
  readonly overlap: OverlapFields;
  readonly compare: CompareFields;
  readonly timeline: TimelineFields;
}

export type Kind = keyof Questions;

type Models = { readonly [K in Kind]: (fields: Questions[K], history: History) => unknown };

const MODELS: Models = {
  funnel: answerFunnel,
  retention: answerRetention,
  lifecycle: answerLifecycle,
  stickiness: answerStickiness,
  actives: answerActives,
  sequence: answerSequence,
  flow: answerFlow,
  sessions: answerSessions,
  overlap: answerOverlap,
  compare: answerCompare,
  timeline: answerTimeline,
};

/** The answer to one question, as JSON text in which exactly the floats have a fraction. */
export const answerText = <K extends Kind>(kind: K, fields: Questions[K], history: History): string =>
  jsonOf(MODELS[kind](fields, history));

function jsonOf(value: unknown): string {
  if (value instanceof Float) return value.text;
  if (Array.isArray(value)) return `[${value.map(jsonOf).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${jsonOf(member)}`).join(',')}}`;
}
