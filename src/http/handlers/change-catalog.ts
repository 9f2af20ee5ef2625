/** What the handlers of the team's endpoints have in common. */
import type { ModelDecision } from '../../api/index.js';
import type { Catalog } from '../../catalog/index.js';
import { type Members, membersOf, type TeamCall } from './handler.js';

/** Decides on the newest catalog and answers when the change is durable. */
export async function changeCatalog(
  { engine }: TeamCall,
  decide: (catalog: Catalog) => ModelDecision<object>,
): Promise<Members> {
  return membersOf(await engine.change(decide));
}
