/**
 * The audit of administrative requests that do not come over HTTP: through the admin socket, or on a store that the command
 * opened itself. Invariant: every request that can change the store or copies all data gets one line, whatever its outcome;
 * the line names the changed object and holds no key.
 */
import type { EngineApi } from '../../engine/index.js';
import { type Audit, type ChangedThing, changedThings } from '../../http/index.js';
import type { AdminAnswer, AdminRequest } from './admin-request.js';
import { type AdminDependencies, administer } from './administer.js';

/** Like `administer`, and writes the audit line. */
export async function administerAudited(
  dependencies: AdminDependencies,
  request: AdminRequest,
  audit: Audit,
  who: 'admin socket' | 'command line',
): Promise<AdminAnswer> {
  if (!isAudited(request)) return administer(dependencies, request);
  let changes: readonly ChangedThing[] = [];
  const change: EngineApi['change'] = (decide) =>
    dependencies.engine.change((catalog) => {
      const decision = decide(catalog);
      changes = changedThings(decision.changes, catalog);
      return decision;
    });
  const engine: AdminDependencies['engine'] = {
    catalog: () => dependencies.engine.catalog(),
    backup: (to, giveUp) => dependencies.engine.backup(to, giveUp),
    change,
  };
  const write = (outcome: 'done' | 'refused' | 'failed'): void =>
    audit.write({
      ...{ who, what: request.do, outcome },
      changes: outcome === 'done' ? changes : [],
      ...(request.do === 'backup' ? { to: request.to } : {}),
    });
  try {
    const answer = await administer({ ...dependencies, engine }, request);
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
