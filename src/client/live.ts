/**
 * Follows a live answer: reads server-sent events, and connects again whenever the stream has ended.
 * Invariant: the ID of the last event is sent with each new connection, so the caller gets no answer twice.
 */
import { ConnectionError } from './errors.js';
import type { Sender } from './sender.js';
import { type CallOptions, parseExact, sleep } from './transport/index.js';

export interface LiveOptions extends Pick<CallOptions, 'signal'> {
  /** Milliseconds between two answers; 250 by default. */
  readonly minIntervalMs?: number;
  /** The LSN of the last answer that the caller has: an unchanged answer is not sent again. */
  readonly afterLsn?: number;
}

export interface Live<T> {
  /** The last record that the answer has seen. */
  readonly lsn: number;
  readonly answer: T;
}

/** The server sends a comment every 15 s, so a connection that is silent for longer is lost. */
const SILENCE_MS_MAX = 45_000;
const RECONNECT_MS = 1_000;

/** Rejects with the server's refusal of a new connection, such as 4023 or 502, and with the signal's reason. */
export async function* follow<T>(
  send: Sender,
  path: string,
  { minIntervalMs, afterLsn, signal = new AbortController().signal }: LiveOptions = {},
): AsyncGenerator<Live<T>, void, void> {
  const url = minIntervalMs === undefined ? path : `${path}?min-interval=${minIntervalMs}`;
  let lastLsn = afterLsn;
  for (;;) {
    const watch = new SilenceWatch(signal);
    try {
      for await (const { lsn, data } of events(await send.events(url, lastLsn, watch.signal), watch)) {
        lastLsn = lsn;
        yield { lsn, answer: parseExact(data) as T };
      }
    } catch (error) {
      if (!(error instanceof ConnectionError)) throw error;
    } finally {
      watch.end();
    }
    await sleep(RECONNECT_MS, signal);
  }
}

/** A signal that aborts with the caller's, and with a ConnectionError after silence. */
class SilenceWatch {
  readonly #controller = new AbortController();
  readonly #outer: AbortSignal;
  readonly #onAbort = (): void => this.#controller.abort(this.#outer.reason);
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(outer: AbortSignal) {
    this.#outer = outer;
    if (outer.aborted) this.#onAbort();
    outer.addEventListener('abort', this.#onAbort);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** The connection is alive. */
  heard(): void {
    clearTimeout(this.#timer);
    const lost = (): void => this.#controller.abort(new ConnectionError('the connection is silent'));
    this.#timer = setTimeout(lost, SILENCE_MS_MAX);
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#outer.removeEventListener('abort', this.#onAbort);
  }
}

/** Events without a name, which hold answers; after one that says that the stream ends, none follows. */
async function* events(
  bytes: AsyncIterable<Uint8Array>,
  watch: SilenceWatch,
): AsyncGenerator<{ readonly lsn: number; readonly data: string }, void, void> {
  const decoder = new TextDecoder();
  let rest = '';
  let fields = new Map<string, string>();
  for await (const part of bytes) {
    watch.heard();
    const lines = (rest + decoder.decode(part, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const [, name, value] = /^([a-z]+): ?(.*)$/.exec(line) ?? [];
      const before = name === 'data' ? fields.get(name) : undefined;
      if (name !== undefined) fields.set(name, before === undefined ? value : `${before}\n${value}`);
      if (line !== '') continue;
      const [id, data] = [fields.get('id'), fields.get('data')];
      if (id !== undefined && data !== undefined && !fields.has('event')) yield { lsn: Number(id), data };
      fields = new Map();
    }
  }
}
