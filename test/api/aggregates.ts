/** A model with a column of every type, and the bound level of an aggregation on each. */
import type { ValueSource, Window } from '../../src/ir/index.js';
import { type Column, type Dimension, isEventType, valueKindOf } from '../../src/schema/index.js';
import { json, modelWith } from './databases.js';

export const NOW_MS = Date.UTC(2018, 5, 30, 12, 34, 56, 789);
export const NOW_SECONDS = Math.floor(NOW_MS / 1000);

export const MODEL = modelWith(
  json(`[
    {"name":"text","type":"string"}, {"name":"int","type":"integer"}, {"name":"dec","type":"decimal","decimal-places":1},
    {"name":"bool","type":"boolean"}, {"name":"date","type":"date"}, {"name":"time","type":"datetime"},
    {"name":"geo","type":"geolocation"}, {"name":"enum","type":"enumerated","range":[0,10]},
    {"name":"texts","type":"string","storage":"list-of-values"},
    {"name":"ints","type":"integer","storage":"list-of-values"},
    {"name":"te","type":"string-event"}, {"name":"ie","type":"integer-event"},
    {"name":"de","type":"decimal-event","decimal-places":3}, {"name":"ge","type":"geolocation-event"},
    {"name":"contains","type":"integer"}, {"name":"minfreq","type":"integer"}, {"name":"bypass-cache","type":"integer"},
    {"name":"b","type":"integer","dimension":"other"}
  ]`),
);
export const THERE = MODEL.dimensions.get('default') as Dimension;

export function columnOf(apiName: string): Column {
  const column = THERE.columns.get(apiName);
  if (column === undefined) throw new Error(`no column ${apiName}`);
  return column;
}

export const secondsOf = (date: string): number => Date.parse(date) / 1000;

/** [2016-01-01, 2016-01-07], as the JSON text of a `between` and as a window. */
export const WEEK_TEXT = '["2016-01-01","2016-01-07"]';
export const WEEK: Window = { from: secondsOf('2016-01-01'), to: secondsOf('2016-01-07') };

/** The source of a column's values. For an event column it is the events in the window. */
export function sourceOf(apiName: string, window: Window = WEEK): ValueSource {
  const { id: columnId, type, storage } = columnOf(apiName);
  if (type === 'unique-id') return { from: 'entity-id' };
  const kind = valueKindOf(type);
  return isEventType(type)
    ? { from: 'events', columnId, kind, window }
    : { from: storage === 'list-of-values' ? 'list' : 'attribute', columnId, kind };
}

/** A level of the column without tests: source, tests, and how values are written. */
export function plainLevel(apiName: string, window: Window = WEEK) {
  const { type, decimalPlaces } = columnOf(apiName);
  return { source: sourceOf(apiName, window), tests: [], type, decimalPlaces };
}
