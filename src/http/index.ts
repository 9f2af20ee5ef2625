export type { LookUpHost } from './auth/addresses.js';
export { nameCaller } from './auth/caller.js';
export type {
  PostgresContext,
  PostgresCredentials,
  PostgresRequest,
  PostgresRequests,
  StatementScope,
} from './auth/postgres-requests.js';
export { ConsoleFiles } from './endpoints/console.js';
export { ENDPOINTS } from './endpoints/endpoints.js';
export { INLET_NAMES, type InletSetting, parseInlets } from './inlets/inlet-settings.js';
export * from './limits/limit-table.js';
export { Audit, type AuditEntry, type LineSink } from './observability/audit.js';
export { type ChangedThing, changedThings } from './observability/audit-changes.js';
export { ParquetThreads } from './parquet/parquet-threads.js';
export * from './transport/certificate.js';
export * from './transport/http-settings.js';
export { type ProxyList, parseProxies } from './transport/proxy.js';
export * from './transport/server.js';
export { nativeFault } from './transport/uws.js';
