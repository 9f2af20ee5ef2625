export { compile } from './compile.js';
export { type Evaluate, type Memory, ONE_ROW, type RowSource } from './node.js';
export { trueRows } from './true-rows.js';
