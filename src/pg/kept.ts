/**
 * What a session keeps by name: prepared statements and portals; the one without a name gives way to the next.
 * Invariants: neither grows beyond the bounds below; a portal that is closed is left.
 */
import { ProtocolFault } from './fault.js';
import { bytesOf, leavePortal, type Portal, type Prepared } from './portal.js';

const PREPARED_MAX = 1_000;
const PREPARED_CHARS_MAX = 4 * 2 ** 20;
const PORTALS_MAX = 20;
const PORTAL_BYTES_MAX = 8 * 2 ** 20;

export class Kept {
  readonly #prepared = new Map<string, Prepared>();
  #preparedChars = 0;
  readonly #portals = new Map<string, Portal>();
  #portalBytes = 0;

  /** Throws 42P05 when there is one of that name, 53200 when there are too many. */
  addPrepared(name: string, prepared: Prepared): void {
    if (name !== '' && this.#prepared.has(name)) {
      throw new ProtocolFault('42P05', `there is a prepared statement ${JSON.stringify(name)} already`);
    }
    this.deallocate(name);
    const { length } = prepared.text;
    if (this.#prepared.size >= PREPARED_MAX || this.#preparedChars + length > PREPARED_CHARS_MAX) {
      throw new ProtocolFault(
        '53200',
        `a session keeps at most ${PREPARED_MAX} prepared statements; close some`,
      );
    }
    this.#preparedChars += length;
    this.#prepared.set(name, prepared);
  }

  /** Throws 26000. */
  prepared(name: string): Prepared {
    const prepared = this.#prepared.get(name);
    if (prepared !== undefined) return prepared;
    throw new ProtocolFault('26000', `there is no prepared statement ${JSON.stringify(name)}`);
  }

  /** null = all. */
  deallocate(name: string | null): void {
    if (name === null) {
      this.#prepared.clear();
      this.#preparedChars = 0;
      return;
    }
    this.#preparedChars -= this.#prepared.get(name)?.text.length ?? 0;
    this.#prepared.delete(name);
  }

  /** Throws 42P03 when there is one of that name, 53200 when there are too many. */
  addPortal(name: string, portal: Portal): void {
    if (name !== '' && this.#portals.has(name)) {
      throw new ProtocolFault('42P03', `there is a portal ${JSON.stringify(name)} already`);
    }
    this.closePortal(name);
    const byteCount = bytesOf(portal);
    if (this.#portals.size >= PORTALS_MAX || this.#portalBytes + byteCount > PORTAL_BYTES_MAX) {
      throw new ProtocolFault('53200', `a session has at most ${PORTALS_MAX} portals; close some`);
    }
    this.#portalBytes += byteCount;
    this.#portals.set(name, portal);
  }

  /** Throws 34000. */
  portal(name: string): Portal {
    const portal = this.#portals.get(name);
    if (portal !== undefined) return portal;
    throw new ProtocolFault('34000', `there is no portal ${JSON.stringify(name)}`);
  }

  closePortal(name: string): void {
    const portal = this.#portals.get(name);
    if (portal === undefined) return;
    this.#portals.delete(name);
    this.#portalBytes -= bytesOf(portal);
    leavePortal(portal);
  }

  closePortals(): void {
    for (const name of [...this.#portals.keys()]) this.closePortal(name);
  }
}
