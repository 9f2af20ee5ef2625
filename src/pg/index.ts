export type { CatalogSettings } from './catalog/host.js';
export * from './server.js';
