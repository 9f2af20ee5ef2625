export {
  type RemoteAddress,
  RemoteClient,
  RemoteError,
  type RemoteRequest,
  UnreachableError,
} from './client.js';
export { type KeyKind, REMOTE_FLAGS, REMOTE_HELP, type RemoteAccess, readRemote } from './flags.js';
