/**
 * The prepared statements and portals of a session by name. The unnamed one is replaced by the next unnamed one.
 * Invariants: both are limited by the constants below; a closed portal ends its query.
 */
import { ProtocolError } from '../protocol/errors.js';
import { bytesOf, leavePortal, type Portal, type PreparedStatement } from './portal.js';

const PREPARED_MAX = 1_000;
const PREPARED_CHARS_MAX = 4 * 2 ** 20;
const PORTALS_MAX = 20;
const PORTAL_BYTES_MAX = 8 * 2 ** 20;

export class StatementRegistry {
  readonly #prepared = new Map<string, PreparedStatement>();
  #preparedChars = 0;
  readonly #portals = new Map<string, Portal>();
  #portalBytes = 0;

  /** Throws 42P05 if the name exists, 53200 if there are too many. */
  addPrepared(name: string, prepared: PreparedStatement): void {
    if (name !== '' && this.#prepared.has(name)) {
      throw new ProtocolError('42P05', `prepared statement ${JSON.stringify(name)} already exists`);
    }
    this.deallocate(name);
    const { length } = prepared.text;
    if (this.#prepared.size >= PREPARED_MAX || this.#preparedChars + length > PREPARED_CHARS_MAX) {
      throw new ProtocolError(
        '53200',
        `too many prepared statements; the limit of a session is ${PREPARED_MAX} statements of ${PREPARED_CHARS_MAX} characters in total`,
      );
    }
    this.#preparedChars += length;
    this.#prepared.set(name, prepared);
  }

  /** Throws 26000. */
  prepared(name: string): PreparedStatement {
    const prepared = this.#prepared.get(name);
    if (prepared !== undefined) return prepared;
    throw new ProtocolError('26000', `prepared statement ${JSON.stringify(name)} does not exist`);
  }

  /** Removes a prepared statement; null = all. */
  deallocate(name: string | null): void {
    if (name === null) {
      this.#prepared.clear();
      this.#preparedChars = 0;
      return;
    }
    this.#preparedChars -= this.#prepared.get(name)?.text.length ?? 0;
    this.#prepared.delete(name);
  }

  /** Throws 42P03 if the name exists, 53200 if there are too many. */
  addPortal(name: string, portal: Portal): void {
    if (name !== '' && this.#portals.has(name)) {
      throw new ProtocolError('42P03', `portal ${JSON.stringify(name)} already exists`);
    }
    this.closePortal(name);
    const byteCount = bytesOf(portal);
    if (this.#portals.size >= PORTALS_MAX || this.#portalBytes + byteCount > PORTAL_BYTES_MAX) {
      throw new ProtocolError(
        '53200',
        `too many portals; the limit of a session is ${PORTALS_MAX} portals with ${PORTAL_BYTES_MAX} bytes of parameters in total`,
      );
    }
    this.#portalBytes += byteCount;
    this.#portals.set(name, portal);
  }

  /** Throws 34000. */
  portal(name: string): Portal {
    const portal = this.#portals.get(name);
    if (portal !== undefined) return portal;
    throw new ProtocolError('34000', `portal ${JSON.stringify(name)} does not exist`);
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
