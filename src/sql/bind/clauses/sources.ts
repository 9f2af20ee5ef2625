/**
 * The tables of FROM, and the resolution of names among them. Names are compared without case; inactive columns do not exist.
 * Invariant: a column that the caller may not use is never returned; the look-up throws instead.
 */
import { quoted } from '../../../base/index.js';
import type { Condition, Constant, Expression } from '../../../ir/index.js';
import {
  type Column,
  type DatabaseModel,
  type Dimension,
  ENTITY_ID_COLUMN,
  isEventType,
  lowerCase,
} from '../../../schema/index.js';
import { sqlError } from '../../sql-error.js';
import type { SourcePosition, TableName } from '../../tree.js';
import { constantOf } from '../expressions/build.js';
import type { SqlAccess, SqlDialect, SqlRequest } from '../request.js';
import type { NodeOf } from '../scope.js';
import { suggestion } from '../suggest.js';

export interface Source {
  /** 0 is the table of FROM, j + 1 that of join j. */
  readonly index: number;
  readonly dimension: Dimension;
  /** The qualifier of its columns, in lower case: the alias or the table's name. */
  readonly qualifier: string;
}

export interface ColumnRef {
  readonly is: 'column';
  readonly source: Source;
  readonly column: Column;
  /** value and date refer to an event. */
  readonly part: 'attribute' | 'value' | 'date' | 'link';
}

/** The pseudo-column `score`. */
export interface ScoreRef {
  readonly is: 'score';
}

export type Ref = ColumnRef | ScoreRef;

export const SCORE = 'score';
const SCORE_REF: ScoreRef = { is: 'score' };

/** The name in answers: the api-name, or `clicks.value`. */
export function nameOfRef(ref: Ref): string {
  if (ref.is === 'score') return SCORE;
  return ref.part === 'attribute' ? ref.column.apiName : `${ref.column.apiName}.${ref.part}`;
}

/** Whether a table name has the name of a database before it, which is not this one. */
export const isOfOtherDatabase = (
  { database }: Pick<TableName, 'database'>,
  { name }: DatabaseModel,
): boolean => typeof database === 'string' && lowerCase(database) !== lowerCase(name);

/** Resolves a table name to a dimension. Throws 6000. */
export function dimensionOf(table: TableName, model: DatabaseModel): Dimension {
  const { name, position, database } = table;
  if (isOfOtherDatabase(table, model)) {
    throw sqlError(`${quoted(database ?? '')} is another database than ${quoted(model.name)}`, position);
  }
  const dimension = namedOrDashed(model.dimensions, lowerCase(name));
  if (dimension !== null) return dimension;
  throw sqlError(`there is no table ${quoted(name)}`, position, meant(name, model.dimensions.keys()));
}

/**
 * The value of a name in lower case, or of the only name that differs from it in dashes instead of underscores; null if
 * there is none.
 */
export function namedOrDashed<T>(values: ReadonlyMap<string, T>, name: string): T | null {
  const named = values.get(name);
  if (named !== undefined || !name.includes('_')) return named ?? null;
  const dashed = [...values.keys()].filter((other) => other.replaceAll('-', '_') === name);
  return dashed.length === 1 ? (values.get(dashed[0]) ?? null) : null;
}

/** The suggestion for an unknown name, as details of the error. */
function meant(name: string, candidates: Iterable<string>): { readonly suggestion?: string } {
  const names = [...candidates];
  // entity-id without brackets was parsed as entity minus id.
  const dashed = names.find((candidate) => candidate.startsWith(`${lowerCase(name)}-`));
  const found = suggestion(name, names) ?? (dashed === undefined ? null : `[${dashed}]`);
  return found === null ? {} : { suggestion: found };
}

/** The attributes that the caller may use, the entity ID first. */
export function attributesOf(dimension: Dimension, access: SqlAccess): readonly Column[] {
  const usable = [...dimension.columns.values()].filter(
    (column) => column.active && !isEventType(column.type) && access.allows(dimension, column),
  );
  const isId = ({ apiName }: Column): boolean => apiName === ENTITY_ID_COLUMN;
  return [...usable.filter(isId), ...usable.filter((column) => !isId(column))];
}

export class Sources {
  readonly #request: SqlRequest;
  readonly #all: Source[] = [];

  constructor(request: SqlRequest) {
    this.#request = request;
  }

  get dialect(): SqlDialect {
    return this.#request.dialect ?? 'http';
  }

  get all(): readonly Source[] {
    return this.#all;
  }

  /** The table of FROM; null = there is none. */
  get fact(): Source | null {
    return this.#all[0] ?? null;
  }

  /** The value of an expression without columns; null if it cannot be evaluated yet. */
  constant(expression: Expression): Constant | null {
    if (expression.op === 'constant') return expression;
    const { evaluate } = this.#request;
    return evaluate === undefined ? null : constantOf(expression.type, evaluate(expression));
  }

  /** Membership in a segment of a table's dimension. Throws 506, 9101, 9106 and the errors of its query. */
  segment(name: string, { dimension }: Source): Condition {
    const { access, nowMs } = this.#request;
    return access.segment(name, dimension, nowMs);
  }

  /** Adds a table. Throws 6000 if it does not exist or its name is taken. */
  add(table: TableName): Source {
    const dimension = dimensionOf(table, this.#request.model);
    const qualifier = lowerCase(table.alias ?? table.name);
    if (this.#all.some((source) => source.qualifier === qualifier)) {
      throw sqlError(`two tables are called ${quoted(qualifier)}; give one an alias`, table.position);
    }
    const source = { index: this.#all.length, dimension, qualifier };
    this.#all.push(source);
    return source;
  }

  /** Resolves the table of `t.*`. Throws 6000. */
  named(table: string, position: SourcePosition): Source {
    const found = this.#all.find(({ qualifier }) => qualifier === lowerCase(table));
    if (found !== undefined) return found;
    const qualifiers = this.#all.map(({ qualifier }) => qualifier);
    throw sqlError(`the statement has no table ${quoted(table)}`, position, meant(table, qualifiers));
  }

  /** Resolves a name; null if no column has it. Throws 6000 if it is ambiguous, and 506. */
  lookUp(node: NodeOf<'column'> | NodeOf<'string'>): Ref | null {
    if (node.is === 'string') return this.#find(null, node.text, node.position);
    const ref = this.#find(node.table, node.name, node.position);
    return node.ofLink === true && ref?.is === 'column' ? { ...ref, part: 'link' } : ref;
  }

  /** Like `lookUp`, but throws 6000 with a suggestion if no column has the name. */
  resolve(node: NodeOf<'column'>): Ref {
    return this.lookUp(node) ?? this.#refuse(node);
  }

  #refuse({ table, name, position }: NodeOf<'column'>): never {
    if (this.#all.length === 0)
      throw sqlError(`${quoted(name)} is a column, and the statement has no FROM`, position);
    const whole = table === null ? name : `${table}.${name}`;
    const events = this.#eventColumn(lowerCase(whole));
    if (events !== null) {
      const what = `${quoted(events)} is an event column: write [${events}.value] or [${events}.date]`;
      throw sqlError(what, position);
    }
    const qualified = table !== null && this.#all.find(({ qualifier }) => qualifier === lowerCase(table));
    if (table !== null && !qualified && !this.#hasEvents(lowerCase(table))) this.named(table, position);
    const candidates = qualified ? this.#names([qualified]) : this.#names(this.#all);
    const where = this.#all.length === 1 || qualified ? this.#locationOf(qualified || this.#all[0]) : '';
    throw sqlError(`there is no column ${quoted(name)}${where}`, position, meant(name, candidates));
  }

  /** The active attribute columns of a table that the caller may use, `entity-id` first. */
  attributes({ dimension }: Source): readonly Column[] {
    return attributesOf(dimension, this.#request.access);
  }

  #locationOf({ dimension }: Source): string {
    return ` in ${quoted(dimension.apiName)}`;
  }

  /** Looks up a qualified name in its table, and an unqualified name in all tables. */
  #find(table: string | null, name: string, position: SourcePosition): Ref | null {
    const whole = lowerCase(table === null ? name : `${table}.${name}`);
    for (const source of this.#all) {
      if (!whole.startsWith(`${source.qualifier}.`)) continue;
      const rest = whole.slice(source.qualifier.length + 1);
      const found = this.#checked(inSource(source, rest));
      if (found !== null) return found;
      if (source.index === 0 && rest === SCORE) return SCORE_REF;
    }
    const found = this.#all.flatMap((source) => inSource(source, whole) ?? []);
    if (found.length > 1 && whole !== ENTITY_ID_COLUMN) {
      const tables = found.map(({ source }) => source.qualifier).join(' and ');
      throw sqlError(`${quoted(whole)} is a column of ${tables}: write the table before it`, position);
    }
    if (found.length > 0) return this.#checked(found[0]);
    return whole === SCORE && this.#all.length > 0 ? SCORE_REF : null;
  }

  #checked(ref: ColumnRef | null): ColumnRef | null {
    if (ref !== null) this.#request.access.checkColumn(ref.source.dimension, ref.column);
    return ref;
  }

  /** The event column called `name`, used without .value or .date. */
  #eventColumn(name: string): string | null {
    for (const { qualifier, dimension } of this.#all) {
      for (const rest of [name, name.startsWith(`${qualifier}.`) ? name.slice(qualifier.length + 1) : name]) {
        const column = dimension.columns.get(rest);
        if (column?.active && isEventType(column.type) && this.#request.access.allows(dimension, column)) {
          return rest;
        }
      }
    }
    return null;
  }

  #hasEvents(name: string): boolean {
    return this.#eventColumn(name) !== null;
  }

  /** All valid names, for suggestions. */
  *#names(sources: readonly Source[]): Generator<string> {
    for (const { dimension } of sources) {
      for (const column of dimension.columns.values()) {
        if (!column.active || !this.#request.access.allows(dimension, column)) continue;
        if (isEventType(column.type)) yield* [`${column.apiName}.value`, `${column.apiName}.date`];
        else yield column.apiName;
      }
    }
    yield SCORE;
  }
}

/** `name` is in lower case and unqualified. */
function inSource(source: Source, name: string): ColumnRef | null {
  const { columns } = source.dimension;
  const column = namedOrDashed(columns, name);
  if (column?.active && !isEventType(column.type)) return { is: 'column', source, column, part: 'attribute' };
  const part = name.endsWith('.value') ? 'value' : name.endsWith('.date') ? 'date' : null;
  if (part === null) return null;
  const events = namedOrDashed(columns, name.slice(0, -part.length - 1));
  return events?.active && isEventType(events.type) ? { is: 'column', source, column: events, part } : null;
}
