/** Shared by the tests of extractions and scores: a model, a caller, and short names for bound conditions. */
import { createColumns, type ExtractionRequest, FULL_ACCESS } from '../../src/api/index.js';
import { INT64_MAX } from '../../src/base/index.js';
import { applyChange, databaseOf } from '../../src/catalog/index.js';
import type { Condition } from '../../src/ir/index.js';
import type { Dimension } from '../../src/schema/index.js';
import { decided, emptyCatalog, json } from './databases.js';

export const NOW_MS = Date.UTC(2018, 5, 30, 12, 34, 56, 789);

const COLUMNS = json(`[
  {"name":"text","type":"string"}, {"name":"int","type":"integer"},
  {"name":"dec","type":"decimal","decimal-places":2}, {"name":"time","type":"datetime"},
  {"name":"geo","type":"geolocation"}, {"name":"list","type":"integer","storage":"list-of-values"},
  {"name":"ie","type":"integer-event"}, {"name":"ge","type":"geolocation-event"},
  {"name":"score","type":"integer"}, {"name":"bool","type":"boolean"}, {"name":"day","type":"date"},
  {"name":"all","type":"string","dimension":"other"}, {"name":"te","type":"string-event","dimension":"other"},
  {"name":"more","type":"string","dimension":"other"}
]`);

function model() {
  const catalog = decided(emptyCatalog(), (model) => createColumns(COLUMNS, model));
  const { columns } = databaseOf(catalog, 1).dimensions.get('default') as Dimension;
  const column = { ...[...columns.values()][1], id: 99, apiName: 'off', active: false };
  return databaseOf(
    applyChange(catalog, { change: 'column-created', databaseId: 1, dimensionId: 1, column }),
    1,
  );
}

/** Columns 1 to 11 of dimension 1 in the order of COLUMNS, an inactive one `off`; `all`, `te` and `more`, 12 to 14, in dimension 2. */
export const MODEL = model();
export const [TEXT, INT, DEC, TIME, GEO, LIST, IE, GE, SCORE, BOOL, DAY] = [
  1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11,
];

export const REQUEST: ExtractionRequest = {
  model: MODEL,
  nowMs: NOW_MS,
  access: FULL_ACCESS,
  caller: 'somebody',
};

/** The condition that `int` equals `value`. */
export const intIs = (value: bigint): Condition => ({
  op: 'attribute',
  columnId: INT,
  tests: [{ kind: 'ranges', ranges: [{ low: value, high: value }], negated: false }],
});

/** The condition that `int` is greater than `value`. */
export const intAbove = (value: bigint): Condition => ({
  op: 'attribute',
  columnId: INT,
  tests: [{ kind: 'ranges', ranges: [{ low: value + 1n, high: INT64_MAX }], negated: false }],
});

/** The text of a condition that `int` equals `value`. */
export const INT_IS = (value: number): string => `{"int":{"equals":${value}}}`;
