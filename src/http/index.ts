export type { LookUpHost } from './addresses.js';
export { Audit, type AuditEntry, type LineSink } from './audit.js';
export { type ChangedThing, changedThings } from './audit-changes.js';
export { nameCaller } from './caller.js';
export * from './certificate.js';
export { ConsoleFiles } from './console.js';
export { ENDPOINTS } from './endpoints.js';
export * from './limit-table.js';
export type {
  PostgresClient,
  PostgresContext,
  PostgresRequest,
  PostgresRequests,
  StatementScope,
} from './postgres-requests.js';
export { type ProxyList, parseProxies } from './proxy.js';
export * from './server.js';
export { nativeLoaded } from './uws.js';
