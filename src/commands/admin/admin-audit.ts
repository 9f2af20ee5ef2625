/**
 * The audit of what is asked past HTTP: through the admin socket, or of a store that the command opened itself. Invariant:
 * a request that would change something, or copies all data, has one line, whatever became of it; the line names what was
 * changed and holds no key.
 */
import type { EngineApi } from '../../engine/index.js';
import { type Audit, type ChangedThing, changedThings } from '../../http/index.js';
import type { AdminAnswer, AdminRequest } from './admin-request.js';
import { type AdminNeeds, administer } from './administer.js';

/** As `administer`. */
export async function administerAudited(
  needs: AdminNeeds,
  request: AdminRequest,
  audit: Audit,
  who: 'admin socket' | 'command line',
): Promise<AdminAnswer> {
  if (!isAudited(request)) return administer(needs, request);
  let changes: readonly ChangedThing[] = [];
  const change: EngineApi['change'] = (decide) =>
    needs.engine.change((catalog) => {
      const decision = decide(catalog);
      changes = changedThings(decision.changes, catalog);
      return decision;
    });
  const engine: AdminNeeds['engine'] = {
    catalog: () => needs.engine.catalog(),
    backup: (to, giveUp) => needs.engine.backup(to, giveUp),
    change,
  };
  const write = (outcome: 'done' | 'refused' | 'failed'): void =>
    audit.write({
      ...{ who, what: request.do, outcome },
      changes: outcome === 'done' ? changes : [],
      ...(request.do === 'backup' ? { to: request.to } : {}),
    });
  try {
    const answer = await administer({ ...needs, engine }, request);
    write(answer.answer === 'refused' || answer.answer === 'busy' ? 'refused' : 'done');
    return answer;
  } catch (error) {
    write('failed');
    throw error;
  }
}

function isAudited(request: AdminRequest): boolean {
  switch (request.do) {
    case 'create-key':
    case 'delete-key':
    case 'rotate-key':
    case 'backup':
      return true;
    case 'account':
      return request.state !== null;
    case 'retention':
      return request.resume;
    default:
      return false;
  }
}
