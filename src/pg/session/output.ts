/** Sends the messages of a session, and the rows of its portals. */
import * as messages from '../protocol/messages.js';
import { rowsWithin } from './answer.js';
import { nextRows, type Portal } from './portal.js';

const ROWS_PER_BATCH = 2 ** 18;
/** Messages that wait for a flush, of a client that sends neither Sync nor Flush. */
const PENDING_MAX = 1_000;

export class SessionOutput {
  readonly #send: (bytes: Uint8Array) => Promise<void>;
  readonly #answered: () => void;
  #pending: Buffer[] = [];

  /** `answered` is called when all rows of a statement have been sent. */
  constructor(send: (bytes: Uint8Array) => Promise<void>, answered: () => void) {
    this.#send = send;
    this.#answered = answered;
  }

  /** Sends at most `rowsMax` rows (0 = all), then PortalSuspended or CommandComplete. */
  async sendRows(portal: Portal, rowsMax: number): Promise<void> {
    const { answer } = portal;
    if (answer === null || portal.isOver) {
      this.put(messages.commandComplete(answer?.tag(0) ?? 'SELECT 0'));
      return;
    }
    let wanted = rowsMax === 0 ? Number.POSITIVE_INFINITY : rowsMax;
    for (;;) {
      if (portal.unsentRows.length === 0 && !(await nextRows(portal, answer))) break;
      const { rowCount, end } = rowsWithin(portal.unsentRows, Math.min(wanted, ROWS_PER_BATCH));
      const rows = portal.unsentRows.subarray(0, end);
      portal.unsentRows = portal.unsentRows.subarray(end);
      portal.rowCount += rowCount;
      wanted -= rowCount;
      this.put(rows);
      await this.flush();
      if (wanted === 0) {
        this.put(messages.portalSuspended());
        return;
      }
    }
    portal.isOver = true;
    if (answer.notice !== null) this.put(answer.notice);
    answer.over(null, portal.rowCount);
    this.#answered();
    this.put(messages.commandComplete(answer.tag(portal.rowCount)));
  }

  /** Keeps a message until the next flush. */
  put(bytes: Buffer): void {
    this.#pending.push(bytes);
  }

  /** Flushes if many messages wait. Rejects with ClientGone. */
  async flushLong(): Promise<void> {
    if (this.#pending.length >= PENDING_MAX) await this.flush();
  }

  /** Resolves when more may be sent. Rejects with ClientGone. */
  async flush(): Promise<void> {
    const pending = this.#pending;
    if (pending.length === 0) return;
    this.#pending = [];
    await this.#send(pending.length === 1 ? pending[0] : Buffer.concat(pending));
  }
}
