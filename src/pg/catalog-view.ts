/**
 * What the catalog of Postgres shows to one caller: an empty table for every dimension with a column that the caller may use,
 * and in it a column for each such attribute, two for each event column ([clicks.value], [clicks.date]), and score.
 * Invariant: nothing else of a store goes to the catalog, no value of a row above all.
 */
import { type Column, type Dimension, isEventType } from '../schema/index.js';
import { itemTypeOf, sqlTypeOf } from '../sql/index.js';
import type { SqlType } from '../vector/index.js';
import type { DatabaseContext } from './select.js';
import { typeText } from './types.js';

export interface CatalogView {
  /** Views with the same key show the same. */
  readonly key: string;
  readonly databaseName: string;
  /** By which queries run. */
  readonly userName: string;
  /** CREATE TABLE statements. */
  readonly tables: () => string;
}

/** What a client is called in the catalog that gives a name which no user of Postgres may have. */
const OTHER_USER = 'anybody';

/** The name that a client gave, where Postgres could have a user of that name. */
export function userNameOf(given: string): string {
  const isReserved = /^(|pg_.*|public|none|quarry_owner)$/i.test(given);
  return isReserved || Buffer.byteLength(given) > NAME_BYTES_MAX ? OTHER_USER : given;
}

/** Of a table in Postgres; the others are not shown. */
const COLUMNS_MAX = 1_500;
/** Of a name in Postgres, which cuts longer ones: of those that are the same then, the first is shown. */
const NAME_BYTES_MAX = 63;

/** `userName`: as userNameOf gives it. */
export function viewOf({ databaseId, model, access }: DatabaseContext, userName: string): CatalogView {
  return {
    key: JSON.stringify([databaseId, model.name, model.version, access.fingerprint]),
    databaseName: model.name,
    userName,
    tables() {
      const shown = new Names();
      return [...model.dimensions.values()]
        .filter(({ apiName }) => shown.add(apiName))
        .map((dimension) => tableOf(dimension, (column) => access.allows(dimension, column)))
        .join('\n');
    },
  };
}

function tableOf(dimension: Dimension, allows: (column: Column) => boolean): string {
  const columns: string[] = [];
  const notes: string[] = [];
  const shown = new Names();
  const table = named(dimension.apiName);
  const add = (name: string, type: SqlType, description = ''): void => {
    if (columns.length >= COLUMNS_MAX || !shown.add(name)) return;
    columns.push(`${named(name)} ${typeText(type)}`);
    if (description !== '')
      notes.push(`COMMENT ON COLUMN ${table}.${named(name)} IS ${quotedText(description)};`);
  };
  for (const column of dimension.columns.values()) {
    if (!column.active || !allows(column)) continue;
    const { apiName, description } = column;
    if (isEventType(column.type)) {
      add(`${apiName}.value`, itemTypeOf(column), description);
      add(`${apiName}.date`, { type: 'datetime' });
    } else add(apiName, sqlTypeOf(column), description);
  }
  add('score', { type: 'float' });
  return [`CREATE TABLE ${table} (${columns.join(', ')});`, ...notes].join('\n');
}

class Names {
  readonly #known = new Set<string>();

  /** false = there is one already that looks the same. */
  add(name: string): boolean {
    const cut = Buffer.from(name, 'utf8').subarray(0, NAME_BYTES_MAX).toString('latin1');
    const isNew = !this.#known.has(cut);
    this.#known.add(cut);
    return isNew;
  }
}

const named = (name: string): string => `"${name.replaceAll('"', '""').replaceAll('\0', '')}"`;
const quotedText = (text: string): string => `'${text.replaceAll("'", "''").replaceAll('\0', '')}'`;
