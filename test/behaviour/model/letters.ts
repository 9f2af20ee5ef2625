/** Histories written as text, for examples: `a0 b1` is an event a at second 0 and an event b at second 1. */
import { historyOf } from './conditions.js';
import type { Entity, History, Scalar, StoredEvent } from './history.js';
import type { EventClause } from './question.js';

/** The column of events written as letters. */
export const COLUMN = 'act';
/** The instant of second 0: 2024-01-01T00:00:00Z, a Monday. */
export const BEGIN = 1_704_067_200;

/** An event of the column with that value. */
export const letter = (value: string): EventClause => ({ event: { [COLUMN]: { equals: value } } });

const storedEvent = (text: string): StoredEvent => {
  const [, value, seconds] = /^([a-z]+)(\d+)$/.exec(text)!;
  return { values: new Map([[COLUMN, { value, seconds: BEGIN + Number(seconds) }]]) };
};

/** An entity of the events in the text, with these values of attribute columns. */
export const entity = (
  id: string,
  text: string,
  attributes: Readonly<Record<string, Scalar>> = {},
): Entity => ({
  id,
  attributes: new Map(Object.entries(attributes)),
  events: text.split(' ').filter(Boolean).map(storedEvent),
});

/** A history of one entity for each text. */
export const lettersHistory = (...texts: readonly string[]): History =>
  entitiesHistory(texts.map((text, index) => entity(`e${index}`, text)));

export const entitiesHistory = (entities: readonly Entity[]): History =>
  historyOf({ entities, relations: new Map(), eventColumns: [COLUMN, 'tied'], segments: new Map() });

/** The date of a second. */
export const at = (seconds: number): string => new Date((BEGIN + seconds) * 1000).toISOString();
