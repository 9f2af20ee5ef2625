export { compile } from './compile.js';
export { addUnits } from './dates/calendar.js';
export { type Evaluate, ONE_ROW, type RowSource } from './node.js';
export { trueRows } from './true-rows.js';
