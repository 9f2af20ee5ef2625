export {
  type RemoteAddress,
  RemoteClient,
  RemoteError,
  type RemoteRequest,
  UnreachableError,
} from './client.js';
export { REMOTE_FLAGS, REMOTE_HELP, type RemoteAccess, type RemoteKeyKind, readRemote } from './flags.js';
export { waiting } from './wait-note.js';
