/** Traversal, comparison and replacement of bound expression trees. */
export { keyOf, nodeCount, replaceIn } from '../../../ir/index.js';
