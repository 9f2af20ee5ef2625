/** Who sends a request: a key of the catalog, or a user who signed in. */
import type { ApiKey } from '../catalog/index.js';

/** A user who signed in, for one database or (null) for the team's own endpoints. */
export interface UserCaller {
  readonly kind: 'user';
  readonly email: string;
  readonly databaseId: number | null;
  /** What was kept of the password then: a user who was deleted and made anew has another one. */
  readonly passwordHash: string;
}

export type Caller = ApiKey | UserCaller;
