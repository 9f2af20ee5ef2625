/** Common code of the handlers of team endpoints. */
import { isLookedUp, type ModelDecision, type Reach } from '../../../api/index.js';
import type { Catalog, CatalogChange } from '../../../catalog/index.js';
import { reachOf } from '../../auth/sessions.js';
import { handleMembersOf, type Members, type TeamCall } from './handler.js';

/**
 * Decides on the newest catalog, for the databases that the caller may change. Resolves when the change is durable and the
 * host names of new whitelists were looked up, so that the next request finds their addresses.
 */
export async function changeCatalog(
  { engine, caller, checkAgain, addressesResolved, notes }: TeamCall,
  decide: (catalog: Catalog, reach: Reach) => ModelDecision<object>,
): Promise<Members> {
  let setsHosts = false;
  const answer = await engine.change((catalog) => {
    checkAgain(catalog);
    const decision = decide(catalog, reachOf(catalog, caller));
    setsHosts = decision.changes.some(namesHosts);
    notes.changed(decision.changes, catalog);
    return decision;
  });
  if (setsHosts) await addressesResolved();
  return handleMembersOf(answer);
}

function namesHosts(change: CatalogChange): boolean {
  if ('properties' in change) return change.properties?.addressesWhitelist.some(isLookedUp) === true;
  return 'key' in change && change.key.kind === 'custom' && change.key.addressesWhitelist.some(isLookedUp);
}
