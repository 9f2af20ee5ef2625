/** POST /v1/query/compare: the values by which two segments differ most. */
import { checkAll, QuarryError, quoted } from '../../base/index.js';
import type { compare } from '../../interface/index.js';
import { type BehaviourAnswer, type ComparedColumn, comparedOfKey } from '../../ir/index.js';
import { type Column, isEventType } from '../../schema/index.js';
import { readAll } from '../body/fields.js';
import type { Json } from '../body/json.js';
import type { AnswerText } from '../query/aggregate-text.js';
import { EventBinder, valueColumnOf } from './event.js';
import type { BoundQuestion } from './kind.js';
import { floatText, ratioText } from './numbers.js';
import { segmentsOf } from './overlap.js';
import { proportionsPValue } from './proportions.js';
import { bindShared, isAllowed, type QuestionCall, scopeOf } from './question.js';
import { inOrder } from './stream.js';

export type CompareFields = (typeof compare)['properties'];
type CompareCall = QuestionCall<CompareFields>;

const LIMIT_DEFAULT = 20;
const SEGMENTS = 2;

export function bindCompare(call: CompareCall): BoundQuestion {
  const { body } = call;
  const { shared, segments, columns, limit } = readAll({
    shared: () => bindShared(call),
    segments: () => {
      const list = body.get('segments') as readonly Json[];
      if (list.length !== SEGMENTS) throw body.error('segments', `must hold ${SEGMENTS} segments`);
      return segmentsOf(call, list).map(({ condition }) => condition);
    },
    columns: () => columnsOf(call),
    limit: () => body.get('limit') ?? LIMIT_DEFAULT,
  });
  const plan = scopeOf(shared, {
    question: {
      kind: 'compare',
      segments: [segments[0], segments[1]],
      columns: columns.map(comparedColumn),
      limit,
    },
  });
  return { scope: plan, write: (text, answer) => writeCompare(text, columns, answer) };
}

/** The columns in the order of their names. */
function columnsOf(call: CompareCall): readonly Column[] {
  const { body, dimension, checkColumn, prefix } = call;
  const names = body.get('columns') ?? null;
  if (names === null) {
    const all = [...dimension.columns.values()];
    return inOrder(all.filter((column) => isComparable(column) && isAllowed(call, column)));
  }
  const binder = new EventBinder(dimension, checkColumn);
  const columns = checkAll(names, (name) => {
    const column = binder.column(name, `${prefix}columns`);
    if (isComparable(column)) return column;
    throw new QuarryError(9101, `${prefix}columns: ${quoted(name)} has no values to compare`);
  });
  return inOrder(columns);
}

const isComparable = ({ active, type }: Column): boolean => active && type !== 'unique-id';

const comparedColumn = (column: Column): ComparedColumn => ({
  column: valueColumnOf(column),
  of: isEventType(column.type) ? 'event' : column.storage === 'list-of-values' ? 'list' : 'entity',
});

function writeCompare(
  text: AnswerText,
  columns: readonly Column[],
  { counts: slots, compared }: BehaviourAnswer,
): void {
  const [m, n, tested] = slots;
  const { keys, counts } = compared ?? { keys: [], counts: new Float64Array(0) };
  text.writeAll('[', [...keys.entries()], ']', ([index, key]) => {
    const { column, value } = comparedOfKey(key);
    const [first, second] = [counts[index * 2], counts[index * 2 + 1]];
    const name = `"column":${JSON.stringify(columns[column].apiName)},"value":${JSON.stringify(value)}`;
    const shares = `[${ratioText(first, m)},${ratioText(second, n)}]`;
    const lift = m === 0 ? 'null' : ratioText(first / m, second / n || 0);
    const single = proportionsPValue([first, second], [m, n]);
    const pValue = single === null ? null : floatText(Math.min(1, single * tested));
    text.write(
      `{${name},"counts":[${first},${second}],"shares":${shares},"lift":${lift},"p-value":${pValue}}`,
    );
  });
}
