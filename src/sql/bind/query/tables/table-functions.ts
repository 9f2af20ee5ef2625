/** Binds functions that return rows, as tables of FROM: generate_series, and questions about behaviour. */
import { quoted } from '../../../../base/index.js';
import { type Expression, integerOf, type RelationColumn } from '../../../../ir/index.js';
import { lowerCase } from '../../../../schema/index.js';
import type { SqlType } from '../../../../vector/index.js';
import { spansIn } from '../../../intervals.js';
import { ROW_FUNCTION_NAMES } from '../../../query/row-functions.js';
import { sqlError } from '../../../sql-error.js';
import type { FromItem, SourcePosition, Span, SqlNode } from '../../../tree.js';
import { castTo, commonTypeOf } from '../../expressions/coerce.js';
import { bindScalar } from '../../expressions/scalar.js';
import { isDate, isExactNumber, typeName } from '../../expressions/types.js';
import type { SqlRequest } from '../../request.js';
import { suggestion } from '../../suggest.js';
import { type Build, ONE_ROW_RELATION } from '../build.js';
import { type OutputColumn, PLAIN_TRAITS, type PlanColumns, plainColumn } from '../plan-columns.js';
import type { QueryScope } from '../query-scope.js';

export type FunctionItem = Extract<FromItem, { readonly is: 'function' }>;

const SERIES = 'generate_series';
const SECONDS: ReadonlyMap<string, number> = new Map([
  ['WEEK', 604_800],
  ['DAY', 86_400],
  ['HOUR', 3_600],
  ['MINUTE', 60],
  ['SECOND', 1],
]);
const MONTHS: ReadonlyMap<string, number> = new Map([
  ['YEAR', 12],
  ['QUARTER', 3],
  ['MONTH', 1],
]);
const DAY_SECONDS = 86_400;

/** The rows of a function. */
export interface BoundFunction {
  readonly build: Build;
  readonly columns: readonly OutputColumn[];
}

/** Throws 6000 and the errors of questions about behaviour. */
export function bindTableFunction(
  item: FunctionItem,
  scope: QueryScope,
  columns: PlanColumns,
  request: SqlRequest,
): BoundFunction {
  const { name, args, position } = item;
  if (lowerCase(name) === SERIES) {
    const { build, column } = bindSeries(args, position, scope, columns);
    const label = item.columnNames?.[0] ?? item.alias ?? lowerCase(name);
    return { build, columns: [{ ...column, name: label, constant: null }] };
  }
  const question = bindQuestion(item, columns, request);
  if (question !== null) return question;
  const near = suggestion(name, [SERIES, ...ROW_FUNCTION_NAMES]);
  const more = near === null ? {} : { suggestion: near };
  throw sqlError(
    `${quoted(name)} is not a function that returns rows; ${SERIES}, unnest and questions about behaviour are`,
    position,
    more,
  );
}

/** The answer to a question about behaviour; null = there is no such kind. */
function bindQuestion(
  { name, args, position }: FunctionItem,
  columns: PlanColumns,
  { questions }: SqlRequest,
): BoundFunction | null {
  const [argument] = args;
  const json = args.length === 1 ? textOf(argument) : null;
  const bound = questions?.(lowerCase(name), json) ?? null;
  if (bound === null) return null;
  if (bound === 'no question') {
    throw sqlError(`${lowerCase(name)} takes its question as a JSON text`, position);
  }
  const own = bound.columns.map(({ name: label, type, traits }) => ({
    ...columns.add(type, traits, label),
    ...{ name: label, constant: null },
  }));
  const { question } = bound;
  return { build: () => ({ op: 'question', question, columns: own.map(plainColumn) }), columns: own };
}

/** The constant text, also one with a cast; null for another argument. */
function textOf(argument: SqlNode): string | null {
  const node = argument.is === 'cast' ? argument.of : argument;
  return node.is === 'string' && node.quotes === 'single' ? node.text : null;
}

function bindSeries(
  args: readonly SqlNode[],
  position: SourcePosition,
  scope: QueryScope,
  columns: PlanColumns,
): { readonly build: Build; readonly column: RelationColumn } {
  const [from, to, by] = args;
  if (args.length < 2 || args.length > 3) {
    throw sqlError(`${SERIES} takes the first value, the last value and a step`, position);
  }
  const bounds = [from, to].map((argument) => ({
    node: expressionIn(argument),
    position: argument.position,
  }));
  const bound = bounds.map(({ node }) => bindScalar(node, scope));
  const ofStep = by === undefined ? null : (intervalOf(by) ?? bindScalar(expressionIn(by), scope));
  const isNumbers = ofStep !== null && 'op' in ofStep;
  const type = seriesType(isNumbers ? [...bound, ofStep] : bound, ofStep, position);
  const [first, last] = bound.map((of, index) => castTo(of, type, bounds[index].position));
  const column = columns.add(type, PLAIN_TRAITS, SERIES);
  const step = ofStep === null ? castTo(integerOf(1), type, position) : ofStep;
  const stepped =
    'op' in step
      ? { step: castTo(step, type, (by ?? from).position), months: 0 }
      : spansOf(step, type.type === 'date' ? DAY_SECONDS : 1);
  const build: Build = () => ({
    op: 'series',
    input: ONE_ROW_RELATION,
    value: column,
    first,
    last,
    ...stepped,
  });
  return { build, column };
}

function expressionIn(argument: SqlNode): SqlNode {
  if (argument.is !== 'interval') return argument;
  throw sqlError(`only the step of ${SERIES} is an interval`, argument.position);
}

/** The spans of a step that is an interval, also as text; null for another argument. Throws 6000. */
function intervalOf(argument: SqlNode): readonly Span[] | null {
  if (argument.is === 'interval') return argument.spans;
  const node = argument.is === 'cast' && argument.typeName === 'interval' ? argument.of : argument;
  return node.is === 'string' && node.quotes === 'single' ? spansIn(node) : null;
}

/** The type of the values. Throws 6000. */
function seriesType(
  members: readonly Expression[],
  step: readonly Span[] | Expression | null,
  position: SourcePosition,
): SqlType {
  const type = commonTypeOf(members, position);
  const isInterval = step !== null && !('op' in step);
  if (isDate(type) && isInterval) {
    const isOfDays = step.every(({ unit }) => MONTHS.has(unit) || (SECONDS.get(unit) ?? 0) >= DAY_SECONDS);
    return isOfDays ? type : { type: 'datetime' };
  }
  if (isDate(type)) throw sqlError(`dates need a step such as INTERVAL '1 day'`, position);
  if (isExactNumber(type) && !isInterval) return type;
  if (isExactNumber(type)) throw sqlError(`the step of a series of numbers is a number`, position);
  const isText = type.type === 'text';
  const what = `${SERIES} takes integers, decimals and dates, not ${typeName(type)}`;
  throw sqlError(isText && isInterval ? `${what}; write CAST('...' AS DATE)` : what, position);
}

/** Months and a step in units of `unitSeconds`. */
function spansOf(
  spans: readonly Span[],
  unitSeconds: number,
): { readonly step: Expression; readonly months: number } {
  let [months, seconds] = [0, 0];
  for (const { count, unit } of spans) {
    months += count * (MONTHS.get(unit) ?? 0);
    seconds += count * (SECONDS.get(unit) ?? 0);
  }
  return { step: integerOf(seconds / unitSeconds), months };
}
