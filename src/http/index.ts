export type { LookUpHost } from './addresses.js';
export * from './certificate.js';
export { ENDPOINTS } from './endpoints.js';
export * from './limit-table.js';
export { type ProxyList, parseProxies } from './proxy.js';
export * from './server.js';
export { nativeLoaded } from './uws.js';
