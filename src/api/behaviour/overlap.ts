/** POST /v1/query/overlap: the entities that several segments have in common. */
import { checkAll, QuarryError, quoted } from '../../base/index.js';
import { namedSegment, type overlap } from '../../interface/index.js';
import type { BehaviourAnswer, Condition } from '../../ir/index.js';
import { readAll } from '../body/fields.js';
import type { Json } from '../body/json.js';
import { RequestBody } from '../body/request-body.js';
import type { AnswerText } from '../query/aggregate-text.js';
import type { BoundQuestion } from './kind.js';
import { bindShared, type QuestionCall, scopeOf } from './question.js';

export type OverlapFields = (typeof overlap)['properties'];
const SEGMENTS_MIN = 2;

export interface Segment {
  readonly name: string;
  readonly condition: Condition;
}

export function bindOverlap(call: QuestionCall<OverlapFields>): BoundQuestion {
  const { body } = call;
  const { shared, segments } = readAll({
    shared: () => bindShared(call),
    segments: () => {
      const list = body.get('segments') as readonly Json[];
      if (list.length < SEGMENTS_MIN)
        throw body.error('segments', `must hold at least ${SEGMENTS_MIN} segments`);
      return segmentsOf(call, list);
    },
  });
  const plan = scopeOf(shared, {
    question: { kind: 'overlap', segments: segments.map(({ condition }) => condition) },
  });
  const names = segments.map(({ name }) => name);
  return { scope: plan, write: (text, answer) => writeOverlap(text, names, answer) };
}

/** Throws 9101 for a name that occurs twice, and the errors of conditions. */
export function segmentsOf(
  { bindNested, prefix }: Pick<QuestionCall, 'bindNested' | 'prefix'>,
  list: readonly Json[],
): readonly Segment[] {
  const names = new Set<string>();
  return checkAll(list, (json, index): Segment => {
    const path = `${prefix}segments[${index}]`;
    const segment = RequestBody.of(namedSegment, json, path, 'path');
    const bound = segment.read(() =>
      readAll({
        name: () => segment.get('name'),
        condition: () => bindNested(segment.get('query') as Json, `${path}.query`),
      }),
    );
    if (names.has(bound.name)) throw new QuarryError(9101, `${path}.name ${quoted(bound.name)} occurs twice`);
    names.add(bound.name);
    return bound;
  });
}

function writeOverlap(text: AnswerText, names: readonly string[], { counts }: BehaviourAnswer): void {
  const combinations = [...counts.entries()].filter(([bits, count]) => bits > 0 && count > 0);
  const has = (bits: number, index: number): boolean => ((bits >> index) & 1) === 1;
  text.writeAll('{"segments":[', [...names.entries()], ']', ([index, name]) => {
    const own = combinations.filter(([bits]) => has(bits, index));
    const count = own.reduce((sum, [, entities]) => sum + entities, 0);
    text.write(`{"name":${JSON.stringify(name)},"count":${count}}`);
  });
  const sorted = combinations
    .map(([bits, count]) => ({ count, names: names.filter((_, index) => has(bits, index)) }))
    .sort((a, b) => b.count - a.count || compareNames(a.names, b.names));
  text.writeAll(',"combinations":[', sorted, ']}', (one) => {
    text.write(`{"in":${JSON.stringify(one.names)},"count":${one.count}}`);
  });
}

/** Compares name by name; a list that begins a longer one is first. */
function compareNames(a: readonly string[], b: readonly string[]): number {
  const at = a.findIndex((name, index) => name !== b[index]);
  if (at < 0 || at >= b.length) return a.length - b.length;
  return Buffer.compare(Buffer.from(a[at]), Buffer.from(b[at]));
}
