/** Random trees of relations over random tables, with correlated joins. */
import type { Prng } from '../../../src/base/index.js';
import {
  BOOLEAN,
  columnsOf,
  compareOf,
  constantOf,
  type Expression,
  INTEGER,
  inputExpression,
  integerOf,
  type JoinKey,
  type JoinKind,
  type Relation,
  type RelationAggregate,
  type RelationColumn,
  type RelationOf,
  type RelationPlan,
  type RelationSortKey,
  type SelectPlan,
  TEXT,
  type WindowFunction,
} from '../../../src/ir/index.js';
import type { SqlType, Value } from '../../../src/vector/index.js';
import type { MemoryEntity, MemoryTables } from './memory-scan.js';

export const DIMENSIONS = 3;
const COLUMN_TYPES: readonly (readonly [columnId: number, type: SqlType])[] = [
  [1, INTEGER],
  [2, INTEGER],
  [3, TEXT],
  [4, BOOLEAN],
];
const TEXTS = ['a', 'b', '1', '2'];
const ONE_ROW: Relation = { op: 'values', columns: [], rows: [[]] };
const JOIN_KINDS: readonly JoinKind[] = [
  ...(['inner', 'inner', 'left', 'full', 'single', 'semi', 'anti', 'mark', 'mark', 'mark'] as const),
];

export function generateTables(prng: Prng): MemoryTables {
  const tables = new Map<number, MemoryEntity[]>();
  for (let dimension = 1; dimension <= DIMENSIONS; dimension++) {
    const entities: MemoryEntity[] = [];
    for (let count = prng.below(6); count > 0; count--) {
      const values = COLUMN_TYPES.map(([id, type]): [number, Value] => [id, anyValue(type, prng, 0.2)]);
      entities.push({ id: TEXTS[count] ?? `e${count}`, values: new Map(values) });
    }
    tables.set(dimension, entities);
  }
  return tables;
}

function anyValue({ type }: SqlType, prng: Prng, missing: number): Value {
  if (prng.chance(missing)) return null;
  if (type === 'integer') return BigInt(prng.below(4));
  return type === 'text' ? prng.pick(TEXTS) : prng.chance(0.5);
}

export function scanPlan(more: Partial<SelectPlan>): SelectPlan {
  return {
    databaseId: 1,
    dimensionId: 1,
    condition: null,
    filter: null,
    events: null,
    joins: [],
    inputs: [],
    feeds: [],
    grouping: null,
    having: null,
    outputs: [],
    distinct: false,
    order: [],
    offset: 0,
    limit: null,
    ...more,
  };
}

/** `depth` is the number of operators above the leaves. */
export function generatePlan(prng: Prng, depth: number): RelationPlan {
  const tables: Relation[] = [];
  if (prng.chance(0.2)) tables.push(new Trees(prng, []).tree(1, [], true));
  let root = new Trees(prng, tables).tree(depth, [], true);
  if (prng.chance(0.3)) root = sortedBy(root, prng, prng.chance(0.5));
  const outputs = columnsOf(root).map(({ type }, index) => ({ name: `o${index}`, type }));
  return { databaseId: 1, root, outputs, tables };
}

/** Sorts by all columns, so that a limit is the same for every order of equal keys. */
function sortedBy(input: Relation, prng: Prng, limited: boolean): Relation {
  const keys = totalOrder(columnsOf(input), prng);
  const [offset, limit] = limited ? [prng.below(2), prng.between(1, 3)] : [0, null];
  return { op: 'sort', input, keys, offset, limit };
}

function totalOrder(columns: readonly RelationColumn[], prng: Prng): RelationSortKey[] {
  const keys = columns.map((column) => ({
    ...column,
    descending: prng.chance(0.5),
    missingFirst: prng.chance(0.3),
  }));
  const from = keys.length === 0 ? 0 : prng.below(keys.length);
  return [...keys.slice(from), ...keys.slice(0, from)];
}

class Trees {
  readonly #prng: Prng;
  readonly #tables: readonly Relation[];
  #next = 1;

  constructor(prng: Prng, tables: readonly Relation[]) {
    this.#prng = prng;
    this.#tables = tables;
  }

  /** `outer`: columns of relations outside. `canFail`: expressions may fail. */
  tree(depth: number, outer: readonly RelationColumn[], canFail: boolean): Relation {
    const prng = this.#prng;
    if (depth === 0) return this.#leaf();
    const kind = prng.below(17);
    if (kind < 6) return this.#join(depth, outer, canFail);
    if (kind === 6 && prng.chance(0.4)) return this.#recursive();
    if (kind === 6) return this.#set(depth, outer, canFail);
    const input = this.tree(prng.chance(0.8) ? depth - 1 : 0, outer, canFail);
    const columns = columnsOf(input);
    if (kind === 7 && canFail) return this.#guarded(input);
    if (kind < 10) return { op: 'filter', input, condition: this.#condition(columns, outer, 2, canFail) };
    if (kind < 12) return this.#project(input, outer, canFail);
    if (kind < 14) return this.#aggregate(input);
    if (kind === 14) return this.#window(input);
    if (kind === 15) return this.#series(input, outer);
    return sortedBy(input, prng, prng.chance(0.7));
  }

  /** Without ALL, over columns with few different values, so that it ends. */
  #recursive(): Relation {
    const prng = this.#prng;
    const left = this.#leaf();
    const first = this.#some(columnsOf(left), 1 + prng.below(2));
    const recursion = this.#next++;
    const own = first.map(({ type }) => this.#column(type));
    const working: Relation = { op: 'working', recursion, columns: own };
    const other = this.#leaf();
    const same = own.flatMap((a) => {
      const b = columnsOf(other).find(({ type }) => type.type === a.type.type);
      return b === undefined ? [] : [{ left: a.column, right: b.column, nullsEqual: prng.chance(0.2) }];
    });
    const kind = prng.pick(['inner', 'inner', 'left', 'semi', 'anti'] as const);
    const keys = same.slice(0, prng.below(2));
    const joined: Relation = {
      op: 'join',
      kind,
      left: working,
      right: other,
      keys,
      condition: null,
      mark: null,
    };
    const input = prng.chance(0.7) ? joined : working;
    const condition = this.#condition(columnsOf(input), [], 1, false);
    const filter: Relation = prng.chance(0.6) ? { op: 'filter', input, condition } : input;
    const right: Relation = prng.chance(0.2)
      ? { op: 'aggregate', input: filter, keys: columnsOf(filter), aggregates: [] }
      : filter;
    const columns = first.map(({ column, type }) => {
      const round = columnsOf(right).filter((one) => one.type.type === type.type);
      return { ...this.#column(type), left: column, right: prng.pick(round).column };
    });
    return { op: 'recursive', recursion, all: false, left, right, columns };
  }

  /** A series of at most 5 values per row. */
  #series(input: Relation, outer: readonly RelationColumn[]): Relation {
    const prng = this.#prng;
    const own = prng.chance(0.1) ? ONE_ROW : input;
    const bound = (): Expression => {
      const columns = [...columnsOf(own), ...outer].filter(({ type }) => type.type === 'integer');
      if (columns.length === 0 || prng.chance(0.3)) return integerOf(prng.below(4));
      const { type, column } = prng.pick(columns);
      // Sums of a generated tree may be large.
      const of = inputExpression(type, column);
      return { op: 'arithmetic', type, operator: '%', left: of, right: integerOf(4) };
    };
    const [first, last, step] = [bound(), bound(), integerOf(prng.pick([1, 1, 2, -1]))];
    return { op: 'series', input: own, value: this.#column(INTEGER), first, last, step, months: 0 };
  }

  #column(type: SqlType): RelationColumn {
    return { column: this.#next++, type };
  }

  #leaf(): Relation {
    const prng = this.#prng;
    const types = this.#tables.length === 0 ? [] : columnsOf(this.#tables[0]);
    // A shared table can have no columns.
    if (types.length > 0 && prng.chance(0.2)) {
      const from = types.map((_, index) => index).filter(() => prng.chance(0.8));
      if (from.length === 0) from.push(0);
      return { op: 'shared', table: 0, columns: from.map((index) => this.#column(types[index].type)), from };
    }
    if (prng.chance(0.05)) {
      const columns = [this.#column(INTEGER), this.#column(TEXT)];
      const rows = Array.from({ length: prng.below(3) }, () =>
        columns.map(({ type }) => anyValue(type, prng, 0.2)),
      );
      return { op: 'values', columns, rows };
    }
    return this.#scan();
  }

  #scan(): Relation {
    const prng = this.#prng;
    const chosen = COLUMN_TYPES.filter(() => prng.chance(0.7));
    const inputs: SelectPlan['inputs'][number][] = chosen.map(([columnId, type]) => {
      const kind = type.type === 'text' ? 'code' : type.type === 'boolean' ? 'bits' : 'i64';
      return { from: 'attribute', columnId, kind, type };
    });
    if (inputs.length === 0 || prng.chance(0.5)) inputs.push({ from: 'entity-id', type: TEXT });
    const own = inputs.map(({ type }, column) => ({ column, type }));
    const plan = scanPlan({
      dimensionId: 1 + prng.below(DIMENSIONS),
      inputs,
      outputs: own.map(({ column, type }) => ({ name: '', type, of: inputExpression(type, column) })),
      filter: prng.chance(0.2) ? this.#condition(own, [], 1, false) : null,
    });
    return { op: 'scan', plan, columns: inputs.map(({ type }) => this.#column(type)) };
  }

  #join(depth: number, outer: readonly RelationColumn[], canFail: boolean): Relation {
    const prng = this.#prng;
    const kind = prng.pick(JOIN_KINDS);
    const left = this.tree(depth - 1, outer, canFail);
    const isDependent = kind !== 'full' && prng.chance(0.5);
    const leftColumns = columnsOf(left);
    const seen = isDependent ? [...outer, ...leftColumns] : outer;
    const rightDepth = prng.chance(0.7) ? depth - 1 : Math.min(1, depth - 1);
    const right = isDependent
      ? this.#subquery(rightDepth, leftColumns, seen)
      : this.tree(rightDepth, seen, canFail);
    const rightColumns = columnsOf(right);
    const keys: JoinKey[] = [];
    for (let count = prng.below(isDependent ? 2 : 3); count > 0; count--) {
      const [a] = this.#some(leftColumns, 1);
      const b = rightColumns.filter(({ type }) => type.type === a?.type.type);
      if (a !== undefined && b.length > 0) {
        keys.push({ left: a.column, right: prng.pick(b).column, nullsEqual: prng.chance(0.2) });
      }
    }
    const both = [...leftColumns, ...rightColumns];
    const condition = prng.chance(0.4) ? this.#condition(both, outer, 2, false) : null;
    const mark = kind === 'mark' ? this.#column(BOOLEAN).column : null;
    const join: Relation = { op: 'join', kind, left, right, keys, condition, mark };
    return mark !== null && prng.chance(0.7) ? this.#byMark(join, mark) : join;
  }

  /** A filter by the mark of a join. */
  #byMark(input: Relation, mark: number): Relation {
    const prng = this.#prng;
    const of = inputExpression(BOOLEAN, mark);
    const known: Expression = { op: 'coalesce', type: BOOLEAN, members: [of, constantOf(BOOLEAN, false)] };
    const truth = prng.chance(0.3) ? known : of;
    const condition: Expression = prng.chance(0.6) ? { op: 'not', type: BOOLEAN, member: truth } : truth;
    return { op: 'filter', input, condition };
  }

  /** A condition that fails for rows that a filter or join below it drops. */
  #guarded(input: Relation): Relation {
    const prng = this.#prng;
    const texts = columnsOf(input).filter(({ type }) => type.type === 'text');
    if (texts.length === 0) return input;
    const text = prng.pick(texts);
    const of = inputExpression(TEXT, text.column);
    const digits = this.#column(TEXT);
    const values: Relation = { op: 'values', columns: [digits], rows: [['1'], ['2']] };
    const keys = [{ left: text.column, right: digits.column, nullsEqual: false }];
    const condition: Expression = { op: 'in', type: BOOLEAN, of, values: ['1', '2', null], negated: false };
    const guard: Relation = prng.chance(0.5)
      ? { op: 'filter', input, condition }
      : { op: 'join', kind: 'inner', left: input, right: values, keys, condition: null, mark: null };
    const number: Expression = { op: 'cast', type: INTEGER, of, lenient: false };
    const sides = [number, integerOf(1)];
    return { op: 'filter', input: guard, condition: compareOf(prng.pick(['=', '>']), sides[0], sides[1]) };
  }

  /** A tree that usually reads columns of `left`. */
  #subquery(depth: number, left: readonly RelationColumn[], outer: readonly RelationColumn[]): Relation {
    const prng = this.#prng;
    if (prng.chance(0.3)) return this.tree(Math.max(1, depth), outer, false);
    const input = this.tree(Math.max(0, depth - 1), outer, false);
    const columns = columnsOf(input);
    const conditions = Array.from({ length: 1 + prng.below(2) }, (): Expression => {
      const a = prng.pick(columns);
      const same = left.filter(({ type }) => type.type === a.type.type);
      if (same.length === 0) return this.#condition(columns, outer, 1, false);
      const b = prng.pick(same);
      const sides = [inputExpression(a.type, a.column), inputExpression(b.type, b.column)];
      return compareOf(prng.pick(['=', '=', '=', '<', '>=']), sides[0], sides[1]);
    });
    const condition: Expression = { op: 'and', type: BOOLEAN, members: conditions };
    const filter: Relation = { op: 'filter', input, condition };
    switch (prng.below(5)) {
      case 0:
        return this.#project(filter, outer, false);
      case 1:
        return this.#aggregate(filter);
      case 2:
        return this.#project(this.#aggregate(filter), outer, false);
      case 3:
        return sortedBy(filter, prng, true);
      default:
        return filter;
    }
  }

  #set(depth: number, outer: readonly RelationColumn[], canFail: boolean): Relation {
    const prng = this.#prng;
    const operator = prng.pick(['union', 'intersect', 'except'] as const);
    const [left, right] = [this.tree(depth - 1, outer, canFail), this.tree(depth - 1, outer, canFail)];
    const columns = columnsOf(left).flatMap((one) => {
      const same = columnsOf(right).filter(({ type }) => type.type === one.type.type);
      if (same.length === 0) return [];
      return [{ ...this.#column(one.type), left: one.column, right: prng.pick(same).column }];
    });
    if (columns.length === 0) return left;
    return { op: 'set', operator, all: operator === 'union' || prng.chance(0.5), left, right, columns };
  }

  #project(input: Relation, outer: readonly RelationColumn[], canFail: boolean): Relation {
    const prng = this.#prng;
    const columns = columnsOf(input);
    const retained = this.#some(columns, 1 + prng.below(columns.length));
    const passed = retained.map((one) => ({ column: one.column, of: inputExpression(one.type, one.column) }));
    const computed = Array.from({ length: 1 + prng.below(2) }, () => {
      const of = this.#value(columns, outer, canFail);
      return { column: this.#column(of.type).column, of };
    });
    return { op: 'project', input, columns: [...passed, ...computed] };
  }

  #aggregate(input: Relation): Relation {
    const prng = this.#prng;
    const columns = columnsOf(input);
    const keys = prng.chance(0.3) ? [] : this.#some(columns, 1 + prng.below(2));
    const aggregates: RelationAggregate[] = [];
    for (let count = prng.below(3) + (keys.length === 0 ? 1 : 0); count > 0; count--) {
      const name = prng.pick(['count', 'sum', 'min', 'max', 'count'] as const);
      const able = columns.filter(({ type }) => name !== 'sum' || type.type === 'integer');
      const of = able.length === 0 || (name === 'count' && prng.chance(0.5)) ? null : prng.pick(able);
      if (of === null && name !== 'count') continue;
      const type = name === 'count' || of === null ? INTEGER : of.type;
      const distinct = of !== null && prng.chance(0.2);
      aggregates.push({ ...this.#column(type), function: name, of, distinct, fraction: null });
    }
    return { op: 'aggregate', input, keys, aggregates };
  }

  #window(input: Relation): Relation {
    const prng = this.#prng;
    const columns = columnsOf(input);
    const integers = columns.filter(({ type }) => type.type === 'integer');
    const partition = this.#some(columns, prng.below(2));
    const frame = {
      mode: prng.pick(['rows', 'range'] as const),
      start: prng.chance(0.7) ? ({ at: 'first' } as const) : ({ at: 'current' } as const),
      end: prng.chance(0.5) ? ({ at: 'current' } as const) : ({ at: 'last' } as const),
    };
    const functions = Array.from({ length: 1 + prng.below(2) }, (): WindowFunction => {
      const name = prng.pick(['row-number', 'rank', 'count', 'sum', 'lag'] as const);
      if (name === 'sum' || name === 'lag') {
        if (integers.length > 0)
          return { ...this.#column(INTEGER), function: name, args: [prng.pick(integers)], frame };
        return { ...this.#column(INTEGER), function: 'count', args: [], frame };
      }
      return { ...this.#column(INTEGER), function: name, args: [], frame };
    });
    const window: RelationOf<'window'> = {
      op: 'window',
      input,
      partition,
      order: totalOrder(columns, prng),
      functions,
    };
    return prng.chance(0.3) ? this.#firstRows(window) : window;
  }

  /** The first rows of each partition, and perhaps only some of them. */
  #firstRows(window: RelationOf<'window'>): Relation {
    const prng = this.#prng;
    const name = prng.pick(['row-number', 'rank'] as const);
    const ranked = { ...window.functions[0], ...this.#column(INTEGER), function: name, args: [] };
    const comparison = prng.pick(['<=', '<', '='] as const);
    const condition = compareOf(
      comparison,
      inputExpression(INTEGER, ranked.column),
      integerOf(prng.below(5)),
    );
    return { op: 'filter', input: { ...window, functions: [ranked] }, condition };
  }

  /** Different columns, at most `count`. */
  #some(columns: readonly RelationColumn[], count: number): RelationColumn[] {
    const left = [...columns];
    const found: RelationColumn[] = [];
    while (found.length < count && left.length > 0)
      found.push(...left.splice(this.#prng.below(left.length), 1));
    return found;
  }

  #read(columns: readonly RelationColumn[], outer: readonly RelationColumn[]): Expression | null {
    const from = outer.length > 0 && this.#prng.chance(0.35) ? outer : columns;
    if (from.length === 0) return null;
    const { column, type } = this.#prng.pick(from);
    return inputExpression(type, column);
  }

  #value(columns: readonly RelationColumn[], outer: readonly RelationColumn[], canFail: boolean): Expression {
    const prng = this.#prng;
    const of = this.#read(columns, outer) ?? integerOf(1);
    if (of.type.type === 'integer' && prng.chance(0.5)) {
      return { op: 'arithmetic', type: INTEGER, operator: '+', left: of, right: integerOf(prng.below(3)) };
    }
    if (of.type.type === 'text' && canFail && prng.chance(0.2)) {
      return { op: 'cast', type: INTEGER, of, lenient: false };
    }
    if (prng.chance(0.2)) {
      return {
        op: 'coalesce',
        type: of.type,
        members: [of, constantOf(of.type, anyValue(of.type, prng, 0))],
      };
    }
    return prng.chance(0.1) ? this.#condition(columns, outer, 1, false) : of;
  }

  #condition(
    columns: readonly RelationColumn[],
    outer: readonly RelationColumn[],
    depth: number,
    canFail: boolean,
  ): Expression {
    const prng = this.#prng;
    const part = (): Expression => this.#condition(columns, outer, depth - 1, canFail);
    if (depth > 0 && prng.chance(0.4)) {
      const op = prng.pick(['and', 'or'] as const);
      return { op, type: BOOLEAN, members: Array.from({ length: 2 + prng.below(2) }, part) };
    }
    if (depth > 0 && prng.chance(0.1)) return { op: 'not', type: BOOLEAN, member: part() };
    const left = this.#value(columns, outer, canFail);
    const negated = prng.chance(0.3);
    switch (prng.below(10)) {
      case 0:
        return { op: 'is-null', type: BOOLEAN, of: left, negated };
      case 1: {
        const values = Array.from({ length: prng.below(3) }, () => anyValue(left.type, prng, 0.1));
        return { op: 'in', type: BOOLEAN, of: left, values, negated };
      }
      case 2:
        if (left.type.type !== 'text') break;
        return {
          op: 'like',
          type: BOOLEAN,
          of: left,
          pattern: prng.pick(['a%', '%', '_', '1']),
          escape: null,
          negated,
        };
      case 3:
        if (left.type.type === 'boolean') return left;
        break;
      case 4:
        return constantOf(BOOLEAN, anyValue(BOOLEAN, prng, 0.3));
    }
    const comparison = prng.pick(['=', '=', '=', '<', '>=', '<>'] as const);
    const others = columns.filter(({ type }) => type.type === left.type.type);
    if (others.length > 0 && prng.chance(0.6)) {
      const other = prng.pick(others);
      return compareOf(comparison, left, inputExpression(other.type, other.column));
    }
    return compareOf(comparison, left, constantOf(left.type, anyValue(left.type, prng, 0.1)));
  }
}
