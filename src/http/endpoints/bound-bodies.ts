/**
 * Bodies of queries that come again and again, as dashboards send them, with what they were bound to: reading and binding
 * cost more than looking the answer up.
 * Invariants: a result is reused only for the same bytes, endpoint, model and full access, and only when binding did not
 * read the time; nobody changes a reused result.
 */
import { type Access, FULL_ACCESS } from '../../api/index.js';
import { ObservedTime } from '../../base/index.js';
import type { DatabaseModel } from '../../schema/index.js';

const BODY_BYTES_MAX = 4_096;
/** Of one model; the least recently used ones go. */
const BODIES_MAX = 500;

/** `seen`: came before; only what comes twice is kept. */
type Kept = { readonly is: 'seen' } | { readonly is: 'bound'; readonly bound: unknown };

/** What of a call its body is bound with. */
interface Asked {
  readonly body: Uint8Array<ArrayBuffer>;
  readonly model: DatabaseModel;
  readonly access: Access;
  readonly nowMs: number;
}

export class BoundBodies {
  readonly #ofModel = new WeakMap<DatabaseModel, Map<string, Kept>>();

  /** The result of `bind`, which depends on the body, the model, full access and the time alone. Throws what `bind` throws. */
  bind<T>({ body, model, access, nowMs }: Asked, endpoint: string, bind: (time: ObservedTime) => T): T {
    const time = new ObservedTime(nowMs);
    if (body.length > BODY_BYTES_MAX || access !== FULL_ACCESS) return bind(time);
    const bodies = this.#bodiesOf(model);
    const key = endpoint + Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('latin1');
    const kept = bodies.get(key);
    bodies.delete(key);
    if (kept?.is === 'bound') {
      bodies.set(key, kept);
      return kept.bound as T;
    }
    const bound = bind(time);
    bodies.set(key, kept === undefined || time.wasRead ? { is: 'seen' } : { is: 'bound', bound });
    if (bodies.size > BODIES_MAX) bodies.delete(bodies.keys().next().value as string);
    return bound;
  }

  #bodiesOf(model: DatabaseModel): Map<string, Kept> {
    let bodies = this.#ofModel.get(model);
    if (bodies === undefined) {
      bodies = new Map();
      this.#ofModel.set(model, bodies);
    }
    return bodies;
  }
}
