/** Facts that a handler reports about its request, for the log of slow queries and the audit. */
import type { Catalog, CatalogChange } from '../../catalog/index.js';
import type { QueryPlan } from '../../engine/index.js';
import { type ChangedThing, changedThings } from './audit-changes.js';

const NOTHING: readonly ChangedThing[] = [];

export class HandlerNotes {
  /** Returns the plans that the request sent to the engine; null = none yet. */
  plans: (() => readonly QueryPlan[]) | null = null;
  /** Rows of the answer; null = the answer has no rows. */
  rowCount: number | null = null;
  /** Email of the user for whom a client tries to sign in; null = no such user exists. */
  signsInAs: string | null = null;
  #changes: readonly ChangedThing[] = NOTHING;

  /** The request's changes of the catalog. */
  get changes(): readonly ChangedThing[] {
    return this.#changes;
  }

  /**
   * Replaces the changes that were reported before: a decision that had to wait is repeated. `before`: the version of the
   * catalog on which the changes were decided.
   */
  changed(changes: readonly CatalogChange[], before: Catalog): void {
    this.#changes = changes.length === 0 ? NOTHING : changedThings(changes, before);
  }
}
