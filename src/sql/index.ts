export * from './bind/copy-rows.js';
export * from './bind/create-table.js';
export { EarlierWrites } from './bind/earlier-writes.js';
export { itemTypeOf, sqlTypeOf } from './bind/expressions/types.js';
export { bodyOf, withColumns } from './bind/insert-target.js';
export * from './bind/prepared-writes.js';
export { bindColumns, bindRead } from './bind/query/query.js';
export { type ViewScope, viewNamed } from './bind/query/saved-views.js';
export { isTable } from './bind/query/tables/named-tables.js';
export {
  type RelationTableName,
  relationColumns,
  relationsNamed,
} from './bind/query/tables/relation-table.js';
export * from './bind/request.js';
export { returnedOutputs, returnsOnlyWritten } from './bind/returning.js';
export * from './bind/select.js';
export * from './bind/selected-rows.js';
export * from './bind/session-rows.js';
export * from './bind/session-writes.js';
export * from './bind/view-changes.js';
export * from './bind/view-plan.js';
export * from './bind/where/target.js';
export * from './bind/where/touched.js';
export * from './bind/writes.js';
export * from './postgres/parameter-uses.js';
export * from './postgres/select.js';
export * from './postgres/statements.js';
export * from './postgres/write.js';
export { flattened } from './query/flattened.js';
export * from './read-model.js';
export * from './read-view.js';
export * from './script.js';
export * from './script-cache.js';
export * from './sql-error.js';
export { isSign, type Token } from './tokens.js';
export * from './tree.js';
