export { type AdminSocket, type AnswerLine, openAdminSocket, requestAdminSocket } from './admin-socket.js';
export { type CheckCopy, copyFile } from './copy-file.js';
export * from './file-system.js';
export { LineFile, type LineFileOptions } from './line-file.js';
export { DirectoryInUseError, type DirectoryLock, lockDirectory } from './lock.js';
export { NodeFileSystem } from './node-file-system.js';
export { isForeignFile } from './owner.js';
export type { ScratchFile, ScratchReader } from './scratch-file.js';
