export { compile } from './compile.js';
export type { Evaluate, Memory, RowSource } from './node.js';
export { trueRows } from './true-rows.js';
