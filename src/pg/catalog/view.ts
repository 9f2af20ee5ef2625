/**
 * The tables that the catalog shows to one caller: an empty table per dimension, with one column per active attribute that the
 * caller may use, which are the columns of SELECT *, and one per such event column, with its events (entity-id, date, value). An
 * event column is left out if its name is that of a dimension or of several event columns. A relation is a table with the
 * values of its event columns. The names of tables have underscores for dashes, as SQL finds them: tools that create tables look
 * for them under the names that they wrote. Each view that the caller may read is a
 * view without rows, whose comment is its query.
 * Invariant: nothing else of a store reaches the catalog, in particular no value of a row.
 */
import { QuarryError } from '../../base/index.js';
import { type SavedQuery, viewDefinition, viewsIn } from '../../catalog/index.js';
import {
  type Column,
  type DatabaseModel,
  type Dimension,
  ENTITY_ID_COLUMN,
  isEventType,
  lowerCase,
} from '../../schema/index.js';
import {
  bindView,
  isTable,
  itemTypeOf,
  type RelationTableName,
  relationColumns,
  relationsNamed,
  sqlTypeOf,
} from '../../sql/index.js';
import type { Field, SqlType } from '../../vector/index.js';
import { typeText } from '../protocol/types.js';
import { type DatabaseContext, requestOf } from '../session/queries/select.js';

export interface CatalogView {
  /** Views with equal keys are equal. */
  readonly key: string;
  readonly databaseName: string;
  /** The role that runs queries. */
  readonly userName: string;
  /** CREATE TABLE statements. */
  readonly tables: () => string;
  /** The rows of pg_stat_activity as JSON; empty = the query does not read them. */
  readonly activity: string;
}

/** The role of a client whose user name is not a valid role name in Postgres. */
const OTHER_USER = 'anybody';

/** The role for a client's user name: the name itself if Postgres allows it, else OTHER_USER. */
export function userNameOf(name: string): string {
  const isReserved = /^(|pg_.*|public|none|quarry_owner)$/i.test(name);
  return isReserved || Buffer.byteLength(name) > NAME_BYTES_MAX ? OTHER_USER : name;
}

/** Columns of a table; further columns are omitted. */
const COLUMNS_MAX = 1_500;
/** Postgres truncates longer names; of names that are equal after truncation, only the first is shown. */
const NAME_BYTES_MAX = 63;

/** `userName`: the result of userNameOf. */
export function catalogViewOf(context: DatabaseContext, userName: string, activity: string): CatalogView {
  const { databaseId, model, access } = context;
  const views = [...viewsIn(context.savedQueries).values()];
  const versions = views.map(({ version }) => version);
  return {
    activity,
    key: JSON.stringify([databaseId, model.name, model.version, access.fingerprint, versions]),
    databaseName: model.name,
    userName,
    tables() {
      const shown = new Names();
      const allowed = ({ dimension, column }: ColumnOf): boolean => access.allows(dimension, column);
      const dimensions = [...model.dimensions.values()].map((dimension) =>
        shown.named(dimension.apiName, (table) =>
          tableOf(dimension, table, (column) => allowed({ dimension, column })),
        ),
      );
      const shownViews = views.map((view) =>
        shown.named(view.name.toLowerCase(), (name) => viewOf(view, name, context)),
      );
      const events = eventColumns([...model.dimensions.values()])
        .filter(allowed)
        .map(({ column }) => shown.named(column.apiName, (table) => eventTableOf(column, table)));
      const relations = relationTables(model).map((one) =>
        shown.named(lowerCase(one.relation.name), (table) => relationTableOf(one, table, allowed)),
      );
      return [...dimensions, ...shownViews, ...events, ...relations].join('\n');
    },
  };
}

function tableOf(dimension: Dimension, table: string, allows: (column: Column) => boolean): string {
  const columns: string[] = [];
  const notes: string[] = [];
  const shown = new Names();
  const add = (name: string, type: SqlType, description = ''): void => {
    if (columns.length >= COLUMNS_MAX || !shown.add(name)) return;
    columns.push(`${quotedName(name)} ${typeText(type)}`);
    if (description !== '')
      notes.push(`COMMENT ON COLUMN ${table}.${quotedName(name)} IS ${quotedText(description)};`);
  };
  for (const column of dimension.columns.values()) {
    if (!column.active || !allows(column)) continue;
    if (!isEventType(column.type)) add(column.apiName, sqlTypeOf(column), column.description);
  }
  return [`CREATE TABLE ${table} (${columns.join(', ')});`, ...notes].join('\n');
}

/** CREATE VIEW with the columns of the view; empty for one that the caller may not read or that cannot be read. */
function viewOf(view: SavedQuery, name: string, context: DatabaseContext): string {
  let outputs: readonly Field[];
  try {
    ({ outputs } = bindView(view, requestOf(context, 'postgres')));
  } catch (error) {
    if (error instanceof QuarryError) return '';
    throw error;
  }
  const shown = new Names();
  const columns = outputs
    .slice(0, COLUMNS_MAX)
    .filter((output) => shown.add(output.name))
    .map((output) => `NULL::${typeText(output.type)} AS ${quotedName(output.name)}`);
  const { sql } = viewDefinition(view);
  return `CREATE VIEW ${name} AS SELECT ${columns.join(', ')} WHERE false; COMMENT ON VIEW ${name} IS ${quotedText(sql)};`;
}

interface ColumnOf {
  readonly dimension: Dimension;
  readonly column: Column;
}

/** The event columns whose names differ from those of all dimensions and of all other event columns. */
function eventColumns(dimensions: readonly Dimension[]): readonly ColumnOf[] {
  const all = dimensions.flatMap((dimension) =>
    [...dimension.columns.values()]
      .filter(({ active, type }) => active && isEventType(type))
      .map((column) => ({ dimension, column })),
  );
  const times = new Map(dimensions.map(({ apiName }) => [apiName, 1]));
  for (const { column } of all) times.set(column.apiName, (times.get(column.apiName) ?? 0) + 1);
  return all.filter(({ column }) => times.get(column.apiName) === 1);
}

function eventTableOf(column: Column, table: string): string {
  const columns = [
    `${quotedName(ENTITY_ID_COLUMN)} ${typeText({ type: 'text' })}`,
    `"date" ${typeText({ type: 'datetime' })}`,
    `"value" ${typeText(itemTypeOf(column))}`,
  ];
  const note =
    column.description === '' ? '' : `COMMENT ON TABLE ${table} IS ${quotedText(column.description)};`;
  return `CREATE TABLE ${table} (${columns.join(', ')});${note}`;
}

/** The relations whose names in lower case differ from those of all other relations and of all tables. */
function relationTables(model: DatabaseModel): readonly RelationTableName[] {
  const names = [...model.dimensions.values()].flatMap(({ relations }) => [...relations.keys()]);
  return [...new Set(names.map(lowerCase))].flatMap((name) => {
    const named = isTable(name, model) ? [] : relationsNamed(name, model);
    return named.length === 1 ? named : [];
  });
}

/** Empty if the caller may use none of the columns. */
function relationTableOf(
  named: RelationTableName,
  table: string,
  allowed: (one: ColumnOf) => boolean,
): string {
  const { dimension } = named;
  const shown = new Names();
  for (const name of [ENTITY_ID_COLUMN, 'date']) shown.add(name);
  const columns = relationColumns(named).filter(
    (column) => allowed({ dimension, column }) && shown.add(column.apiName),
  );
  if (columns.length === 0) return '';
  const values = columns.map((column) => `${quotedName(column.apiName)} ${typeText(itemTypeOf(column))}`);
  const key = [
    `${quotedName(ENTITY_ID_COLUMN)} ${typeText({ type: 'text' })}`,
    `"date" ${typeText({ type: 'datetime' })}`,
  ];
  return `CREATE TABLE ${table} (${[...key, ...values].join(', ')});`;
}

class Names {
  readonly #known = new Set<string>();

  /** Returns false if an equal name, after truncation, was added before. */
  add(name: string): boolean {
    const cut = Buffer.from(name, 'utf8').subarray(0, NAME_BYTES_MAX).toString('latin1');
    const isNew = !this.#known.has(cut);
    this.#known.add(cut);
    return isNew;
  }

  /** What `make` returns for the quoted name, with underscores for dashes unless another has that name; empty if both are taken. */
  named(name: string, make: (quoted: string) => string): string {
    const underscored = name.replaceAll('-', '_');
    const free = [underscored, name].find((one) => this.add(one));
    return free === undefined ? '' : make(quotedName(free));
  }
}

const quotedName = (name: string): string => `"${name.replaceAll('"', '""').replaceAll('\0', '')}"`;
const quotedText = (text: string): string => `'${text.replaceAll("'", "''").replaceAll('\0', '')}'`;
