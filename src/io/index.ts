export * from './file-system.js';
export * from './lock.js';
export { NodeFileSystem } from './node-file-system.js';
