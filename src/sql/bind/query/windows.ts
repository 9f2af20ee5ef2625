/** Binds window functions and their windows. */
import { quoted } from '../../../base/index.js';
import {
  type Constant,
  type Definition,
  type Expression,
  FLOAT,
  type FrameBound,
  INTEGER,
  type Relation,
  type RelationColumn,
  type RelationSortKey,
  readColumn,
  type WindowFrame,
  type WindowFunction,
  type WindowFunctionName,
} from '../../../ir/index.js';
import { lowerCase, SECONDS_PER_DAY } from '../../../schema/index.js';
import type { SqlType } from '../../../vector/index.js';
import { sqlError } from '../../sql-error.js';
import type {
  FrameEdge,
  OrderKey,
  SelectBlock,
  SourcePosition,
  SqlNode,
  WindowDefinition,
} from '../../tree.js';
import { caseOf, integerOf } from '../expressions/build.js';
import { castTo } from '../expressions/coerce.js';
import { keyOf } from '../expressions/expression-tree.js';
import { intervalParts } from '../expressions/interval-arithmetic.js';
import { comparable, lettersOf } from '../expressions/text-case.js';
import { isDate, isNumber } from '../expressions/types.js';
import { aggregateForm, formOfCall, formType } from '../functions/aggregate-functions.js';
import type { NodeOf, Scope } from '../scope.js';
import { extended } from './build.js';
import { PLAIN_TRAITS, type PlanColumns } from './plan-columns.js';

interface Signature {
  readonly name: WindowFunctionName;
  readonly argsMin: number;
  readonly argsMax: number;
  /** 'value' = the type of the first argument; 'aggregate' = the type of the aggregate of this name. */
  readonly type: SqlType | 'value' | 'aggregate';
}

const SIGNATURES: ReadonlyMap<string, Signature> = new Map<string, Signature>([
  ['row_number', { name: 'row-number', argsMin: 0, argsMax: 0, type: INTEGER }],
  ['rank', { name: 'rank', argsMin: 0, argsMax: 0, type: INTEGER }],
  ['dense_rank', { name: 'dense-rank', argsMin: 0, argsMax: 0, type: INTEGER }],
  ['percent_rank', { name: 'percent-rank', argsMin: 0, argsMax: 0, type: FLOAT }],
  ['cume_dist', { name: 'cume-dist', argsMin: 0, argsMax: 0, type: FLOAT }],
  ['ntile', { name: 'ntile', argsMin: 1, argsMax: 1, type: INTEGER }],
  ['lag', { name: 'lag', argsMin: 1, argsMax: 3, type: 'value' }],
  ['lead', { name: 'lead', argsMin: 1, argsMax: 3, type: 'value' }],
  ['first_value', { name: 'first-value', argsMin: 1, argsMax: 1, type: 'value' }],
  ['last_value', { name: 'last-value', argsMin: 1, argsMax: 1, type: 'value' }],
  ['nth_value', { name: 'nth-value', argsMin: 2, argsMax: 2, type: 'value' }],
  ['count', { name: 'count', argsMin: 1, argsMax: 1, type: 'aggregate' }],
  ['sum', { name: 'sum', argsMin: 1, argsMax: 1, type: 'aggregate' }],
  ['avg', { name: 'avg', argsMin: 1, argsMax: 1, type: 'aggregate' }],
  ['mean', { name: 'avg', argsMin: 1, argsMax: 1, type: 'aggregate' }],
  ['min', { name: 'min', argsMin: 1, argsMax: 1, type: 'aggregate' }],
  ['max', { name: 'max', argsMin: 1, argsMax: 1, type: 'aggregate' }],
  ['any_value', { name: 'min', argsMin: 1, argsMax: 1, type: 'aggregate' }],
  ['bool_and', { name: 'min', argsMin: 1, argsMax: 1, type: 'aggregate' }],
  ['every', { name: 'min', argsMin: 1, argsMax: 1, type: 'aggregate' }],
  ['bool_or', { name: 'max', argsMin: 1, argsMax: 1, type: 'aggregate' }],
]);

const WHOLE: WindowFrame = { mode: 'range', start: { at: 'first' }, end: { at: 'last' } };
const SO_FAR: WindowFrame = { mode: 'range', start: { at: 'first' }, end: { at: 'current' } };

/** How the expressions of a window are bound. */
export interface WindowBinding {
  readonly scope: Scope;
  bind(node: SqlNode): Expression;
  condition(node: SqlNode): Expression;
  sortKey(key: OrderKey, column: RelationColumn): RelationSortKey;
  /** The value of an expression that reads no rows. Throws 6000 for others. */
  constant(expression: Expression, node: SqlNode): Constant;
}

interface BoundWindow {
  readonly partition: readonly RelationColumn[];
  readonly order: readonly RelationSortKey[];
  readonly functions: WindowFunction[];
}

export class Windows {
  readonly #columns: PlanColumns;
  readonly #named: ReadonlyMap<string, WindowDefinition>;
  readonly #results = new Map<SqlNode, Expression>();
  readonly #windows = new Map<string, BoundWindow>();
  readonly #definitions: Definition[] = [];
  readonly #defined = new Map<string, RelationColumn>();

  constructor(columns: PlanColumns, named: SelectBlock['windows']) {
    this.#columns = columns;
    this.#named = new Map(named.map(({ name, window }) => [lowerCase(name), window]));
  }

  /** The column of a window function that was added. */
  resultOf(node: NodeOf<'over'>): Expression | null {
    return this.#results.get(node) ?? null;
  }

  /** Throws 6000. */
  add(node: NodeOf<'over'>, binding: WindowBinding): void {
    const { call } = node;
    const signature = SIGNATURES.get(call.name);
    if (signature === undefined) {
      const isKnown = aggregateForm(call.name) !== null;
      const what = isKnown ? 'an aggregate that is not available over a window' : 'not a window function';
      throw sqlError(`${call.name.toUpperCase()} is ${what}`, call.position);
    }
    if (call.distinct) throw sqlError('DISTINCT is not allowed in window functions', call.position);
    const definition = this.#definitionOf(node.window);
    const args = this.#argumentsOf(node, signature, binding);
    const type = this.#typeOf(signature, args, node);
    const letters = args.length === 0 ? 'mixed' : lettersOf(args[0], binding.scope);
    const column = this.#columns.add(type, { points: false, letters }, call.name);
    const columns = args.map((argument) => this.#define(argument, binding));
    const window = this.#windowOf(definition, binding);
    const frame = frameOf(definition, binding, window.order);
    window.functions.push({
      ...column,
      function: signature.name === 'avg' && call.ofPostgres === true ? 'mean' : signature.name,
      args: columns,
      frame,
    });
    this.#results.set(node, readColumn(column));
  }

  #argumentsOf(
    { call, where }: NodeOf<'over'>,
    { name, argsMin, argsMax }: Signature,
    binding: WindowBinding,
  ): readonly Expression[] {
    const label = call.name.toUpperCase();
    if (call.args.length < argsMin || call.args.length > argsMax) {
      const expected = argsMin === argsMax ? String(argsMin) : `${argsMin} to ${argsMax}`;
      throw sqlError(`${label} takes ${expected} arguments, not ${call.args.length}`, call.position);
    }
    const isStar = call.args[0]?.is === 'star';
    if (isStar && name !== 'count')
      throw sqlError(`* is allowed only in COUNT(*), not in ${label}`, call.position);
    const args = isStar ? [] : call.args.map((argument) => binding.bind(argument));
    if (name === 'lag' || name === 'lead') {
      const fallback = args[2];
      if (fallback !== undefined) {
        return [args[0], args[1], castTo(fallback, args[0].type, call.position)];
      }
    }
    if (where === null) return args;
    if (!isAggregateName(name))
      throw sqlError(`FILTER is allowed only in aggregates, not in ${label}`, where.position);
    const value = args[0] ?? integerOf(1);
    return [caseOf(value.type, [[binding.condition(where), value]], null)];
  }

  #typeOf({ name, type }: Signature, args: readonly Expression[], { call }: NodeOf<'over'>): SqlType {
    if (type === 'value') return args[0].type;
    if (type !== 'aggregate') return type;
    if (name === 'count') return INTEGER;
    const form = isAggregateName(name) ? formOfCall(call) : null;
    const result = form === null ? null : formType(form, args[0].type);
    if (result === null) {
      throw sqlError(
        `${call.name.toUpperCase()} does not take values of type ${args[0].type.type}`,
        call.position,
      );
    }
    return result;
  }

  /** The window with the clauses of those that it extends. Throws 6000. */
  #definitionOf(window: WindowDefinition, depth = 0): WindowDefinition {
    if (window.base === null) return window;
    const base = this.#named.get(lowerCase(window.base));
    if (base === undefined || depth > this.#named.size) {
      throw sqlError(`there is no window ${quoted(window.base)}`, window.position);
    }
    const whole = this.#definitionOf(base, depth + 1);
    if (window.partitionBy.length > 0 || (window.orderBy.length > 0 && whole.orderBy.length > 0)) {
      throw sqlError(`the clauses of the window ${quoted(window.base)} cannot be replaced`, window.position);
    }
    return {
      ...window,
      base: null,
      partitionBy: whole.partitionBy,
      orderBy: window.orderBy.length > 0 ? window.orderBy : whole.orderBy,
      frame: window.frame ?? whole.frame,
    };
  }

  #windowOf({ partitionBy, orderBy }: WindowDefinition, binding: WindowBinding): BoundWindow {
    const partition = partitionBy.map((node) =>
      this.#define(comparable(binding.bind(node), binding.scope), binding),
    );
    const order = orderBy.map((key) => {
      const column = this.#define(comparable(binding.bind(key.of), binding.scope), binding);
      return binding.sortKey(key, column);
    });
    const key = keyOf([partition, order]);
    const window = this.#windows.get(key) ?? { partition, order, functions: [] };
    this.#windows.set(key, window);
    return window;
  }

  #define(expression: Expression, { scope }: WindowBinding): RelationColumn {
    if (expression.op === 'input') return { column: expression.input, type: expression.type };
    const key = keyOf(expression);
    const known = this.#defined.get(key);
    if (known !== undefined) return known;
    const traits = { ...PLAIN_TRAITS, letters: lettersOf(expression, scope) };
    const column = this.#columns.add(expression.type, traits, 'an expression');
    this.#definitions.push({ column: column.column, of: expression });
    this.#defined.set(key, column);
    return column;
  }

  get isEmpty(): boolean {
    return this.#windows.size === 0;
  }

  build(input: Relation): Relation {
    let relation = extended(input, this.#definitions);
    for (const { partition, order, functions } of this.#windows.values()) {
      relation = { op: 'window', input: relation, partition, order, functions };
    }
    return relation;
  }
}

type AggregateWindow = 'count' | 'sum' | 'avg' | 'min' | 'max';

const isAggregateName = (name: WindowFunctionName): name is AggregateWindow =>
  name === 'count' || name === 'sum' || name === 'avg' || name === 'min' || name === 'max';

function frameOf(
  { frame, orderBy, position }: WindowDefinition,
  binding: WindowBinding,
  order: readonly RelationSortKey[],
): WindowFrame {
  if (frame === null) return orderBy.length === 0 ? WHOLE : SO_FAR;
  if (frame.mode === 'groups' && orderBy.length === 0) throw sqlError('GROUPS requires ORDER BY', position);
  const [start, end] = [frame.start, frame.end].map((edge) => boundOf(edge, frame.mode, binding, order));
  if (frame.mode === 'range' && orderBy.length !== 1 && [start, end].some((bound) => 'offset' in bound)) {
    throw sqlError('RANGE with a distance requires exactly one ORDER BY key', position);
  }
  return { mode: frame.mode, start, end, ...(frame.exclude === null ? {} : { exclude: frame.exclude }) };
}

/** The types whose values have a distance, and the type of the distance: days for dates, seconds for datetimes. */
function distanceType({ type }: RelationSortKey, position: SourcePosition): SqlType {
  if (isNumber(type)) return type;
  if (isDate(type)) return INTEGER;
  throw sqlError('RANGE with a distance requires an ORDER BY key that is a number or a date', position);
}

/** A bound of a range over dates, by an interval. */
function datesBound(
  at: 'preceding' | 'following',
  { months, seconds }: { readonly months: number; readonly seconds: number },
  { type }: SqlType,
  position: SourcePosition,
): FrameBound {
  if (type !== 'date' && type !== 'datetime') {
    throw sqlError('a distance that is an interval requires an ORDER BY key that is a date', position);
  }
  if (months < 0 || seconds < 0) throw sqlError('the distance of a frame is at least 0', position);
  const unit = type === 'date' ? SECONDS_PER_DAY : 1;
  if (seconds % unit !== 0) {
    throw sqlError('the distance of dates has whole days; CAST the key AS TIMESTAMP', position);
  }
  const offset = integerOf(seconds / unit);
  return months === 0 ? { at, offset } : { at, offset, months: { count: months, of: type } };
}

function boundOf(
  edge: FrameEdge,
  mode: WindowFrame['mode'],
  binding: WindowBinding,
  order: readonly RelationSortKey[],
): FrameBound {
  if (!('offset' in edge)) return edge;
  const { position } = edge.offset;
  const bound = binding.constant(binding.bind(edge.offset), edge.offset);
  const [key] = order;
  const parts = intervalParts(bound);
  if (parts !== null) {
    if (mode === 'range' && key !== undefined) return datesBound(edge.at, parts, key.type, position);
    throw sqlError(`the distance of a frame of ${mode.toUpperCase()} is a number, not an interval`, position);
  }
  const type = mode === 'range' && key !== undefined ? distanceType(key, position) : INTEGER;
  const offset = castTo(bound, type, position);
  const { value } = binding.constant(offset, edge.offset);
  if (value === null || (typeof value !== 'bigint' && typeof value !== 'number') || value < 0) {
    throw sqlError('the distance of a frame is a number of at least 0', position);
  }
  return { at: edge.at, offset: { op: 'constant', type, value } };
}
