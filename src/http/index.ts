export * from './certificate.js';
export { type ProxyList, parseProxies } from './proxy.js';
export * from './server.js';
export { nativeLoaded } from './uws.js';
