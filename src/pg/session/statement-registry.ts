/**
 * The prepared statements and portals of a session by name. The unnamed one is replaced by the next unnamed one.
 * Invariants: both are limited by the constants below; their memory is reserved, except for the first OWN_BYTES of a session; a
 * closed portal ends its query.
 */
import { ProtocolError } from '../protocol/errors.js';
import { GrowingReservation, type ReserveMemory } from './growing-reservation.js';
import { bytesOf, leavePortal, type Portal, type PreparedStatement } from './portal.js';

const PREPARED_MAX = 1_000;
const PREPARED_BYTES_MAX = 32 * 2 ** 20;
const PORTALS_MAX = 20;
const PORTAL_BYTES_MAX = 8 * 2 ** 20;
const OWN_BYTES = 256 * 1024;
/** Memory of a token with its text and position. */
const TOKEN_BYTES = 128;
const CHARACTER_BYTES = 2;

const memoryOf = ({ text, statement, typeIds }: PreparedStatement): number =>
  text.length * CHARACTER_BYTES + ((statement?.tokens.length ?? 0) + typeIds.length) * TOKEN_BYTES;

export class StatementRegistry {
  readonly #prepared = new Map<string, PreparedStatement>();
  #preparedBytes = 0;
  readonly #portals = new Map<string, Portal>();
  #portalBytes = 0;
  readonly #memory: GrowingReservation;

  constructor(reserve: ReserveMemory) {
    this.#memory = new GrowingReservation(reserve);
  }

  /** Throws 42P05 if the name exists, 53200 if there are too many. */
  addPrepared(name: string, prepared: PreparedStatement): void {
    if (name !== '' && this.#prepared.has(name)) {
      throw new ProtocolError('42P05', `prepared statement ${JSON.stringify(name)} already exists`);
    }
    this.deallocate(name);
    const byteCount = memoryOf(prepared);
    if (this.#prepared.size >= PREPARED_MAX || this.#preparedBytes + byteCount > PREPARED_BYTES_MAX) {
      throw new ProtocolError(
        '53200',
        `too many prepared statements; the limit of a session is ${PREPARED_MAX} statements with ${PREPARED_BYTES_MAX} bytes of memory in total`,
      );
    }
    this.#reserve(byteCount);
    this.#preparedBytes += byteCount;
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
    const names = name === null ? [...this.#prepared.keys()] : [name];
    for (const one of names) {
      const prepared = this.#prepared.get(one);
      if (prepared === undefined) continue;
      this.#preparedBytes -= memoryOf(prepared);
      this.#prepared.delete(one);
    }
    this.#shrink();
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
    this.#reserve(byteCount);
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
    this.#shrink();
    leavePortal(portal);
  }

  closePortals(): void {
    for (const name of [...this.#portals.keys()]) this.closePortal(name);
  }

  /** Removes everything: the session ends. */
  close(): void {
    this.closePortals();
    this.deallocate(null);
    this.#memory.release();
  }

  /** Reserves memory for further bytes. Throws 53200. */
  #reserve(byteCount: number): void {
    if (this.#memory.growTo(this.#preparedBytes + this.#portalBytes + byteCount - OWN_BYTES)) return;
    this.#shrink();
    throw new ProtocolError(
      '53200',
      'the memory limit is reached; close statements and portals, or try again later',
    );
  }

  #shrink(): void {
    this.#memory.shrinkTo(Math.max(0, this.#preparedBytes + this.#portalBytes - OWN_BYTES));
  }
}
