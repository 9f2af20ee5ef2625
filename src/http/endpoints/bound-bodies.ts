/**
 * A cache of bound queries by the bytes of their body, for clients such as dashboards that repeat queries: parsing and binding
 * cost more than a lookup in the cache of answers.
 * Invariants: a result is reused only for the same bytes, endpoint, model and saved queries, for callers with full access, and
 * only if binding did not read the time. A reused result is never modified.
 */
import { type Access, FULL_ACCESS } from '../../api/index.js';
import { ObservedTime } from '../../base/index.js';
import type { SavedQuery } from '../../catalog/index.js';
import type { DatabaseModel } from '../../schema/index.js';

const BODY_BYTES_MAX = 4_096;
/** Bodies per model; the least recently used one is removed first. */
const BODIES_MAX = 500;

/** `seen`: the body was received once. The result is cached when the same body is received again. */
type CachedBody =
  | { readonly is: 'seen' }
  | { readonly is: 'bound'; readonly bound: unknown; readonly savedQueries: SavedQueries };

/** The saved queries of the database, if binding reads them. */
type SavedQueries = ReadonlyMap<string, SavedQuery> | undefined;

/** The members of a call on which binding depends. */
interface BindInputs {
  readonly body: Uint8Array<ArrayBuffer>;
  readonly model: DatabaseModel;
  readonly access: Access;
  readonly nowMs: number;
  readonly savedQueries?: SavedQueries;
}

export class BoundBodies {
  readonly #ofModel = new WeakMap<DatabaseModel, Map<string, CachedBody>>();

  /**
   * Returns the result of `bind`, which must depend only on the body, the model, the saved queries and the time. Throws what
   * `bind` throws.
   */
  bind<T>(
    { body, model, access, nowMs, savedQueries }: BindInputs,
    endpoint: string,
    bind: (time: ObservedTime) => T,
  ): T {
    const time = new ObservedTime(nowMs);
    if (body.length > BODY_BYTES_MAX || access !== FULL_ACCESS) return bind(time);
    const bodies = this.#bodiesOf(model);
    const key = endpoint + Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('latin1');
    const cached = bodies.get(key);
    bodies.delete(key);
    if (cached?.is === 'bound' && cached.savedQueries === savedQueries) {
      bodies.set(key, cached);
      return cached.bound as T;
    }
    const bound = bind(time);
    bodies.set(
      key,
      cached === undefined || time.wasRead ? { is: 'seen' } : { is: 'bound', bound, savedQueries },
    );
    if (bodies.size > BODIES_MAX) bodies.delete(bodies.keys().next().value as string);
    return bound;
  }

  #bodiesOf(model: DatabaseModel): Map<string, CachedBody> {
    let bodies = this.#ofModel.get(model);
    if (bodies === undefined) {
      bodies = new Map();
      this.#ofModel.set(model, bodies);
    }
    return bodies;
  }
}
