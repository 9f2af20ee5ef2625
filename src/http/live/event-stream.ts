/**
 * Sends server-sent events, each when the connection has accepted the one before.
 * Invariant: each event is released, also when the client disconnects while it is sent.
 */
import { ChunkWriter, type SentStream } from '../transport/chunk-writer.js';
import type { Response } from '../transport/uws.js';
import type { LiveEvents } from './live-event.js';

export const EVENTS_HEAD = {
  status: 200,
  contentType: 'text/event-stream',
  headers: [
    ['Cache-Control', 'no-store'],
    // Proxies such as nginx would collect the events otherwise.
    ['X-Accel-Buffering', 'no'],
  ],
} as const;

/** Begins the body, without which no head is sent. `retry`: milliseconds until a browser connects again. */
const BEGIN = Buffer.from('retry: 1000\n\n');

export class EventStream implements SentStream {
  readonly rowCount = null;
  readonly #events: LiveEvents;
  readonly #writer: ChunkWriter;

  /** `seconds`: time since the request's head arrived. */
  constructor(response: Response, events: LiveEvents, seconds: () => number) {
    this.#events = events;
    this.#writer = new ChunkWriter(response, seconds);
  }

  /** Sends all events, but not the end of the answer. False: the client has disconnected. */
  async send(): Promise<boolean> {
    const writer = this.#writer;
    writer.begin();
    await writer.write(BEGIN);
    while (!writer.isGone) {
      const event = await this.#events.next();
      if (event === null) break;
      try {
        await writer.write(event.bytes);
      } finally {
        event.release();
      }
    }
    return !writer.isGone;
  }

  get blockedSeconds(): number {
    return this.#writer.blockedSeconds;
  }

  leave(): void {
    this.#writer.leave();
    this.#events.leave();
  }

  stop(): void {
    this.#events.stop();
  }
}
