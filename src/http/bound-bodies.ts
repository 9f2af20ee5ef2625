/**
 * Bodies of queries that come again and again, as dashboards send them, with what they were bound to: reading and binding
 * cost more than looking the answer up.
 * Invariants: something is given again only for the same bytes, endpoint, model and full access, and only when binding it at
 * another time came to the same, so that nothing relative to now ever is; what is given is never changed by anybody.
 */
import { type Access, FULL_ACCESS } from '../api/index.js';
import { QuarryError } from '../base/index.js';
import type { DatabaseModel } from '../schema/index.js';

const BODY_BYTES_MAX = 4_096;
/** Of one model; the least recently used ones go. */
const BODIES_MAX = 500;
/** Far enough that every part of a relative date changes. */
const OTHER_TIME_MS = (400 * 24 + 5) * 3_600_000 + 123_456;

/** `seen`: came once. `changing`: depends on the time of the request. */
type Kept = { readonly is: 'seen' | 'changing' } | { readonly is: 'bound'; readonly bound: unknown };

/** What of a call its body is bound with. */
interface Asked {
  readonly body: Uint8Array<ArrayBuffer>;
  readonly model: DatabaseModel;
  readonly access: Access;
  readonly nowMs: number;
}

export class BoundBodies {
  readonly #ofModel = new WeakMap<DatabaseModel, Map<string, Kept>>();

  /** What `bind`, which depends on the body, the model, full access and the time alone, makes of the body. Throws what it does. */
  bind<T>({ body, model, access, nowMs }: Asked, endpoint: string, bind: (nowMs: number) => T): T {
    if (body.length > BODY_BYTES_MAX || access !== FULL_ACCESS) return bind(nowMs);
    const bodies = this.#bodiesOf(model);
    const key = endpoint + Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('latin1');
    const kept = bodies.get(key);
    bodies.delete(key);
    if (kept?.is === 'bound') {
      bodies.set(key, kept);
      return kept.bound as T;
    }
    const bound = bind(nowMs);
    bodies.set(
      key,
      kept === undefined ? { is: 'seen' } : kept.is === 'changing' ? kept : settled(bound, bind, nowMs),
    );
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

/** What is to be kept of a body that came twice. */
function settled<T>(bound: T, bind: (nowMs: number) => T, nowMs: number): Kept {
  const text = textOf(bound);
  const others = [nowMs + OTHER_TIME_MS, nowMs - OTHER_TIME_MS];
  return others.every((otherMs) => textAt(bind, otherMs) === text)
    ? { is: 'bound', bound }
    : { is: 'changing' };
}

/** null when the body is refused at that time. */
function textAt(bind: (nowMs: number) => unknown, nowMs: number): string | null {
  try {
    return textOf(bind(nowMs));
  } catch (error) {
    if (error instanceof QuarryError) return null;
    throw error;
  }
}

const textOf = (bound: unknown): string =>
  JSON.stringify(bound, (_key, value) => (typeof value === 'bigint' ? `${value}n` : value));
