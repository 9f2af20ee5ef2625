/** The content of the model: one object per entity, with values as sent. */
import type { Fraction } from './json.js';

export interface Seconds {
  readonly seconds: number;
}

export interface Point {
  readonly longitude: number;
  readonly latitude: number;
}

export type Value = string | boolean | Fraction | Seconds | Point;

export interface Event {
  readonly seconds: number;
  readonly value: Value;
}

export interface ColumnFacts {
  /** Type of the values, also in event columns. */
  readonly type: string;
  readonly isEvent: boolean;
  readonly isList: boolean;
  readonly bounds: readonly bigint[];
  /** null = forever. */
  readonly retentionDays: number | null;
  readonly active: boolean;
}

export interface Entity {
  readonly values: Map<string, Value>;
  readonly lists: Map<string, readonly Value[]>;
  readonly events: Map<string, readonly Event[]>;
}

export interface Table {
  readonly columns: Map<string, ColumnFacts>;
  readonly entities: Map<string, Entity>;
}

export const ENTITY_ID = 'entity-id';

/** The column of entity IDs, which every dimension has. */
const IDS: ColumnFacts = {
  type: 'unique-id',
  isEvent: false,
  isList: false,
  bounds: [],
  retentionDays: null,
  active: true,
};

export function newTable(): Table {
  return { columns: new Map(), entities: new Map() };
}

export function newEntity(): Entity {
  return { values: new Map(), lists: new Map(), events: new Map() };
}

export function known(columns: ReadonlyMap<string, ColumnFacts>, name: string): ColumnFacts {
  const column = name === ENTITY_ID ? IDS : columns.get(name);
  if (column === undefined || !column.active) throw new Error(`the model has no active column ${name}`);
  return column;
}

/** The values of an attribute column: none, one, or the items of a list. */
export function attributeValues(
  id: string,
  entity: Entity,
  name: string,
  { isList }: ColumnFacts,
): readonly Value[] {
  if (name === ENTITY_ID) return [id];
  if (isList) return entity.lists.get(name) ?? [];
  const value = entity.values.get(name);
  return value === undefined ? [] : [value];
}
