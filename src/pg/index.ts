export type { CatalogSettings } from './catalog/host.js';
export { AUTHENTICATION_METHODS, type AuthenticationMethod } from './protocol/authentication.js';
export * from './server.js';
