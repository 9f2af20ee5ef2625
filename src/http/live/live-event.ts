/**
 * Messages of server-sent events, each as the bytes that all its readers are sent.
 * Invariant: the memory of an event is reserved from its creation until its last user has released it.
 */
import { QuarryError } from '../../base/index.js';

/** Returns the function that releases the memory; null = there is not enough. */
export type ReserveMemory = (bytes: number) => (() => void) | null;

export class LiveEvent {
  readonly bytes: Uint8Array;
  readonly #free: () => void;
  #userCount = 1;

  private constructor(bytes: Uint8Array, free: () => void) {
    this.bytes = bytes;
    this.#free = free;
  }

  /** An answer, with the LSN at which it was computed. Throws 9003. The caller must release it. */
  static ofAnswer(lsn: number, answer: string, reserve: ReserveMemory): LiveEvent {
    const bytes = Buffer.from(`id: ${lsn}\n${dataOf(answer)}\n`, 'utf8');
    const free = reserve(bytes.length);
    if (free === null) throw new QuarryError(9003, 'there is no memory for another live answer');
    return new LiveEvent(bytes, free);
  }

  /** A short message with a name of its own, which clients that follow answers do not take for one. */
  static ofNotice(name: string, data: object): LiveEvent {
    return new LiveEvent(Buffer.from(`event: ${name}\n${dataOf(JSON.stringify(data))}\n`, 'utf8'), () => {});
  }

  /** What clients ignore, and proxies take for activity. */
  static comment(): LiveEvent {
    return new LiveEvent(Buffer.from(':\n\n'), () => {});
  }

  /** The event for one more user. */
  retain(): LiveEvent {
    this.#userCount++;
    return this;
  }

  release(): void {
    if (--this.#userCount === 0) this.#free();
  }
}

/** The answers of the interface have no line breaks, but the text of a saved query may. */
const dataOf = (text: string): string => `data: ${text.replace(/\r\n|\r|\n/g, '\ndata: ')}\n`;

/** The events of one stream. */
export interface LiveEvents {
  /** The next event, which the caller must release; null = the stream has ended. To be called after the last one was sent. */
  next(): Promise<LiveEvent | null>;
  /** The client has disconnected. */
  leave(): void;
  /** The server stops. */
  stop(): void;
}
