/** How a worker learns that a query was stopped: from a flag in shared memory, or from messages. */
import { BroadcastChannel, receiveMessageOnPort } from 'node:worker_threads';
import type { StopFlags } from '../exec/index.js';
import type { StopMessage, StopSignals } from '../protocol/index.js';

export const stopFlagsOf = (signals: StopSignals): StopFlags =>
  typeof signals === 'string' ? new ReceivedStops(signals) : new Int32Array(signals);

/**
 * The numbers of stopped queries, from messages. A busy thread receives no messages, so that each question receives those that
 * have arrived; it takes a tenth of a microsecond.
 */
class ReceivedStops {
  readonly #channel: BroadcastChannel;
  readonly #stopped = new Set<number>();

  constructor(name: string) {
    this.#channel = new BroadcastChannel(name);
    this.#channel.onmessage = (event) => this.#take((event as unknown as { data: StopMessage }).data);
    this.#channel.unref();
  }

  isStopped(query: number): boolean {
    for (;;) {
      const received = receiveMessageOnPort(this.#channel as never) as { message: StopMessage } | undefined;
      if (received === undefined) return this.#stopped.has(query);
      this.#take(received.message);
    }
  }

  #take({ query, is }: StopMessage): void {
    if (is === 'stopped') this.#stopped.add(query);
    else this.#stopped.delete(query);
  }
}
