/** What a handler tells of its request, for the log of slow queries and the audit. */
import type { Catalog, CatalogChange } from '../../catalog/index.js';
import type { AskedPlan } from '../../engine/index.js';
import { type ChangedThing, changedThings } from './audit-changes.js';

const NOTHING: readonly ChangedThing[] = [];

export class AskNotes {
  /** What a query asks of the engine; null = nothing was asked yet. */
  asked: (() => readonly AskedPlan[]) | null = null;
  /** Of the answer, where it has rows. */
  rowCount: number | null = null;
  /** Email of the user as whom somebody tries to sign in; null = of none that there is. */
  signsInAs: string | null = null;
  #changes: readonly ChangedThing[] = NOTHING;

  /** What the request changes in the catalog, of which `before` is the version that it was decided against. */
  get changes(): readonly ChangedThing[] {
    return this.#changes;
  }

  /** In place of what was told before: a decision that had to wait is made again. */
  changed(changes: readonly CatalogChange[], before: Catalog): void {
    this.#changes = changes.length === 0 ? NOTHING : changedThings(changes, before);
  }
}
