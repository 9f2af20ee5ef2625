export * from './file-system.js';
export { type DirectoryLock, lockDirectory } from './lock.js';
export { NodeFileSystem } from './node-file-system.js';
