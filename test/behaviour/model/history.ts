/**
 * What a store holds, in its simplest form, for the models of questions about behaviour: entities with attributes and
 * events. The models share no code with the server. All instants are whole seconds since 1970-01-01.
 */
import type { Query } from './question.js';

export type Scalar = string | number | boolean;

export interface DatedValue {
  readonly value: Scalar;
  readonly seconds: number;
}

/** An event with its values by event column; values that a relation ties together are one event. */
export interface StoredEvent {
  readonly values: ReadonlyMap<string, DatedValue>;
}

export interface Entity {
  readonly id: string;
  /** By attribute column; a list is the value of a list-of-values. */
  readonly attributes: ReadonlyMap<string, Scalar | readonly Scalar[]>;
  readonly events: readonly StoredEvent[];
}

/** A saved segment: a condition list, or IDs. */
export type Segment = { readonly query: Query } | { readonly ids: readonly string[] };

export interface History {
  readonly entities: readonly Entity[];
  /** Event columns of each relation, by its name. */
  readonly relations: ReadonlyMap<string, readonly string[]>;
  /** Names of the event columns; all other columns are attribute columns. */
  readonly eventColumns: readonly string[];
  readonly segments: ReadonlyMap<string, Segment>;
  /** Whether the condition list is true of the entity; no list is. */
  satisfies(query: Query | undefined, entity: Entity): boolean;
}

/** A value as aggregations write it. */
export const textOf = (value: Scalar): string => String(value);

/** Compares by code units, which is the order of texts here: generated texts are in the basic plane. */
export const compareTexts = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

/** Compares number by number; a shorter list that begins a longer one is first. */
export function compareNumbers(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((number, index) => number !== b[index]);
  if (at === -1) return a.length - b.length;
  return at >= b.length ? 1 : a[at] - b[at];
}
