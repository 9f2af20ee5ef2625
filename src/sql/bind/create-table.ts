/** The columns of CREATE TABLE and ALTER TABLE, and the rows of CREATE TABLE ... AS as inserts. */
import { ENTITIES_PER_INSERT_MAX, invariant, QuarryError, quoted } from '../../base/index.js';
import type { CatalogChange } from '../../catalog/index.js';
import type { ReadPlan } from '../../ir/index.js';
import { type ColumnType, type DatabaseModel, ENTITY_ID_COLUMN, lowerCase } from '../../schema/index.js';
import type { SqlType } from '../../vector/index.js';
import { sqlError } from '../sql-error.js';
import type {
  AlterTableStatement,
  CreateTableStatement,
  DropTableStatement,
  NewColumn,
  SourcePosition,
  SqlNode,
} from '../tree.js';
import { namedOrDashed } from './clauses/sources.js';
import { castTarget, typeName } from './expressions/types.js';
import { bodyOf, idOfMember } from './insert-target.js';
import { bindRead } from './query/query.js';
import { type ViewScope, viewNamed } from './query/saved-views.js';
import type { SqlRequest } from './request.js';
import type { RowReader } from './row-reader.js';
import { literalsOf, numbered } from './selected-rows.js';
import { type BoundInsert, refusedAt, rowBinder } from './writes.js';

export interface TableColumn {
  readonly apiName: string;
  readonly type: ColumnType;
  readonly decimalPlaces: number | null;
}

/** Decimal places of a decimal column. */
const PLACES_MAX = 20;
const TYPES: Readonly<Record<Exclude<SqlType['type'], 'json' | 'float' | 'interval'>, ColumnType>> = {
  integer: 'integer',
  decimal: 'decimal',
  text: 'string',
  boolean: 'boolean',
  date: 'date',
  datetime: 'datetime',
};

/** The api-name of a name in SQL: in lower case, with dashes for underscores. Throws 6000 for other characters. */
export function apiNameOf(name: string, position: SourcePosition): string {
  const apiName = lowerCase(name).replaceAll('_', '-');
  if (/^[a-z0-9-]+$/.test(apiName)) return apiName;
  throw sqlError(
    `${quoted(name)} is not a name: letters, digits, dashes and underscores are allowed`,
    position,
  );
}

/** The dimension that a name in SQL refers to; null if there is none. */
export const tableNamed = (name: string, { dimensions }: DatabaseModel): string | null =>
  namedOrDashed(dimensions, lowerCase(name))?.apiName ?? null;

/** The dimensions of DROP TABLE, each once. Throws 6000 for one that does not exist, unless IF EXISTS is written. */
export function droppedTables(
  { tables, ifExists }: DropTableStatement,
  model: DatabaseModel,
): readonly { readonly name: string; readonly position: SourcePosition }[] {
  const found = new Map<string, SourcePosition>();
  for (const { name, position } of tables) {
    const apiName = tableNamed(name, model);
    if (apiName !== null) found.set(apiName, position);
    else if (!ifExists) throw sqlError(`there is no table ${quoted(name)}`, position);
  }
  return [...found].map(([name, position]) => ({ name, position }));
}

/** The columns that CREATE TABLE lists, without that of the entity ID. Throws 6000. */
export function listedColumns(columns: readonly NewColumn[]): readonly TableColumn[] {
  return columnsOf(
    columns.flatMap((column) => {
      const { name, position, typeName: written, precision, scale, isKey, isPresent } = column;
      const type = castTarget(written, precision, scale);
      if (type === null) throw sqlError(`there is no type ${quoted(written)}`, position);
      const isId = apiNameOf(name, position) === ENTITY_ID_COLUMN;
      if (!isId && (isKey || isPresent)) {
        const what = 'only the column "entity-id", which holds the entity ID, is a PRIMARY KEY and NOT NULL';
        throw sqlError(what, position);
      }
      return isId ? [] : [{ name, type, position }];
    }),
  );
}

function columnsOf(
  columns: readonly { readonly name: string; readonly type: SqlType; readonly position: SourcePosition }[],
): readonly TableColumn[] {
  const names = new Set<string>();
  return columns.map(({ name, type, position }) => {
    const apiName = apiNameOf(name, position);
    if (names.has(apiName)) throw sqlError(`two columns are called ${quoted(apiName)}`, position);
    names.add(apiName);
    if (type.type === 'float' || type.type === 'json' || type.type === 'interval') {
      const instead = type.type === 'float' ? 'CAST it AS DECIMAL(18, 6)' : 'leave it out';
      throw sqlError(`columns have no type ${typeName(type)}, as ${quoted(name)} has; ${instead}`, position);
    }
    const places = type.type === 'decimal' ? type.scale : null;
    if (places === 0) return { apiName, type: 'integer', decimalPlaces: null };
    if (places !== null && places > PLACES_MAX) {
      throw sqlError(`${quoted(name)} has more than ${PLACES_MAX} decimal places`, position);
    }
    return { apiName, type: TYPES[type.type], decimalPlaces: places };
  });
}

/** What ALTER TABLE changes. */
export interface TableAlteration {
  /** The api-names of the dimension and of the columns that it drops, before others are added. */
  readonly dimension: string;
  readonly dropped: readonly string[];
  readonly added: readonly TableColumn[];
  /** What IF EXISTS and IF NOT EXISTS pass over, as sentences. */
  readonly skipped: readonly string[];
}

/** null = there is no such table, and IF EXISTS is written. Throws 6000. */
export function alteredTable(statement: AlterTableStatement, scope: ViewScope): TableAlteration | null {
  const { table, ifExists } = statement;
  const dimension = namedOrDashed(scope.model.dimensions, lowerCase(table.name));
  if (dimension === null) {
    if (viewNamed(table, scope) !== null) {
      throw sqlError(`${quoted(table.name)} is a view; its columns are those of its query`, table.position);
    }
    if (ifExists) return null;
    throw sqlError(`there is no table ${quoted(table.name)}`, table.position);
  }
  const columns = new Map(dimension.columns);
  const skipped: string[] = [];
  const dropped = statement.dropped.flatMap(({ name, position, ifExists: optional }) => {
    const column = namedOrDashed(columns, lowerCase(name));
    const what = `there is no column ${quoted(name)} in ${quoted(dimension.apiName)}`;
    if (column === null && !optional) throw sqlError(what, position);
    if (column === null) skipped.push(`column ${quoted(name)} does not exist, skipping`);
    else columns.delete(column.apiName);
    return column === null ? [] : [column.apiName];
  });
  const added = statement.added.filter(({ name, position, ifNotExists }) => {
    if (!columns.has(apiNameOf(name, position))) return true;
    const what = `column ${quoted(name)} already exists`;
    if (!ifNotExists) throw sqlError(what, position);
    skipped.push(`${what}, skipping`);
    return false;
  });
  return { dimension: dimension.apiName, dropped, added: listedColumns(added), skipped };
}

/** Calls `decide`, which applies the rules of /v1/dimension and /v1/column; its refusals become SQL errors. */
export function tableChanges<T>(position: SourcePosition, decide: () => T): T {
  try {
    return decide();
  } catch (error) {
    const isRule = error instanceof QuarryError && error.code >= 2_000 && error.code < 6_000;
    throw isRule ? refusedAt(position, error) : error;
  }
}

/** The members of a script (ScriptRequest in src/engine/api.ts) that creates a table of a query. */
export interface TableScript {
  readonly bind: (model: DatabaseModel) => readonly BoundInsert[];
  readonly prepare: (reader: Pick<RowReader, 'lines'>) => Promise<TableScript['bind']>;
  readonly creates: (model: DatabaseModel) => readonly CatalogChange[];
}

/** CREATE TABLE ... AS. `create` returns the changes of the model for a table of these columns. Its functions throw 6000, 506. */
export function tableScript(
  statement: CreateTableStatement,
  requestOf: (model: DatabaseModel) => SqlRequest,
  create: (columns: readonly TableColumn[], model: DatabaseModel) => readonly CatalogChange[],
): TableScript {
  let bound: BoundTable | null = null;
  const boundTable = (): BoundTable => {
    invariant(bound !== null, 'the query is bound before its table is created');
    return bound;
  };
  return {
    bind: () => [],
    prepare: async (reader) => {
      const lines = await reader.lines((model) => {
        bound = bindTableOf(statement, requestOf(model));
        return bound.plan;
      });
      const { table } = statement;
      const name = apiNameOf(table.name, table.position);
      return (model) =>
        bindTableRows(statement, boundTable(), lines, requestOf(model), { name, statement: 0 });
    },
    creates: (model) => tableChanges(statement.table.position, () => create(boundTable().columns, model)),
  };
}

/** CREATE TABLE ... AS with its query bound. */
export interface BoundTable {
  /** A plan whose outputs are named by their numbers. */
  readonly plan: ReadPlan;
  readonly columns: readonly TableColumn[];
  /** The names of the outputs. */
  readonly names: readonly string[];
}

/** Throws 6000, 506. */
export function bindTableOf({ query, position }: CreateTableStatement, request: SqlRequest): BoundTable {
  if (query === null) throw sqlError('the table has no query', position);
  const plan = bindRead(query, request);
  const outputs = plan.outputs.map(({ name, type }) => ({ name, type, position: query.position }));
  const names = outputs.map(({ name }) => apiNameOf(name, query.position));
  const columns = columnsOf(outputs.filter((_output, index) => names[index] !== ENTITY_ID_COLUMN));
  if (names.filter((name) => name === ENTITY_ID_COLUMN).length > 1) {
    throw sqlError('two columns are called "entity-id"', query.position);
  }
  return { plan: numbered(plan), columns, names };
}

/**
 * The inserts of the rows into the table `name`, which the request's model has. Without a column entity-id, the entity IDs are the
 * numbers of the rows. Throws 6000 for an entity ID that occurs twice.
 */
export function bindTableRows(
  { query, table, position }: CreateTableStatement,
  { names }: BoundTable,
  lines: readonly string[],
  request: SqlRequest,
  { name, statement }: { readonly name: string; readonly statement: number },
): readonly BoundInsert[] {
  const at = query?.position ?? position;
  const hasId = names.includes(ENTITY_ID_COLUMN);
  const columns = [...(hasId ? [] : [ENTITY_ID_COLUMN]), ...names].map((column) => ({
    name: column,
    position: at,
  }));
  const memberOf = rowBinder({ table: { ...table, name }, columns, position }, request);
  const ids = new Set<string>();
  const members = lines.map((line, index) => {
    const own: SqlNode = { is: 'number', text: String(index + 1), position: at, parenthesized: false };
    const member = memberOf([...(hasId ? [] : [own]), ...literalsOf(line, names.length, at)]);
    const id = idOfMember(member);
    if (ids.has(id)) throw sqlError(`the SELECT returns the entity ID ${quoted(id)} more than once`, at);
    ids.add(id);
    return member;
  });
  const parts: BoundInsert[] = [];
  for (let from = 0; from === 0 || from < members.length; from += ENTITIES_PER_INSERT_MAX) {
    const part = members.slice(from, from + ENTITIES_PER_INSERT_MAX);
    parts.push({
      ...{ write: 'insert', statement, rowCount: part.length, updates: false },
      body: (count) => bodyOf(part.slice(0, count)),
    });
  }
  return parts;
}
