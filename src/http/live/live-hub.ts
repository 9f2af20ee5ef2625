/**
 * All live answers of a server: who follows what, with which rights.
 * Invariants: the number of streams per key and per database is limited. When the catalog has changed, each reader is authorized
 * again before it gets anything else; if its key or session has changed or is gone, its stream ends.
 */
import { type Cancellation, QuarryError } from '../../base/index.js';
import { type Catalog, propertiesOf } from '../../catalog/index.js';
import type { EngineApi } from '../../engine/index.js';
import type { DatabaseCall, LiveSource } from '../endpoints/handlers/handler.js';
import type { LiveEvents } from './live-event.js';
import type { LiveParameters } from './live-parameters.js';
import { LiveReader, type RenewCall } from './live-reader.js';
import { knownError, LiveTopic } from './live-topic.js';

export interface LiveSettings {
  readonly streamsPerKeyMax: number;
  readonly streamsPerDatabaseMax: number;
  /** Seconds between two comments on a stream. */
  readonly commentSeconds: number;
}

export const LIVE_DEFAULTS: LiveSettings = {
  streamsPerKeyMax: 1_000,
  streamsPerDatabaseMax: 2_000,
  commentSeconds: 15,
};

export interface LiveHubDependencies {
  readonly engine: EngineApi;
  readonly elapsedMs: () => number;
  readonly settings: LiveSettings;
}

/** Records that arrive within this time wake the topics once. */
const WAKE_MS = 5;
/** Seconds after which a client may try again. */
const RETRY_SECONDS = 5;

/** A reader, and on what its rights depend. */
interface Followed {
  readonly reader: LiveReader;
  readonly topic: LiveTopic;
  readonly rights: string;
}

export class LiveHub {
  readonly #dependencies: LiveHubDependencies;
  readonly #topics = new Map<string, LiveTopic>();
  readonly #followed = new Set<Followed>();
  /** Streams by key and by database. */
  readonly #streamCounts = new Map<string, number>();
  #checked: Catalog | null = null;
  #unfollow: (() => void) | null = null;
  #commenting: NodeJS.Timeout | undefined;
  #waking: NodeJS.Timeout | undefined;

  constructor(dependencies: LiveHubDependencies) {
    this.#dependencies = dependencies;
  }

  get streamCount(): number {
    return this.#followed.size;
  }

  /**
   * Begins a stream. Resolves when its first answer is there, which has seen every record that was visible at the call. Rejects with
   * 1502 if there are too many streams, and with the errors of the query.
   */
  async open(
    source: LiveSource,
    call: DatabaseCall,
    parameters: LiveParameters,
    renew: RenewCall,
  ): Promise<LiveEvents> {
    const leave = this.#count(call);
    const topic = this.#topicOf(source);
    const reader: LiveReader = new LiveReader({
      ...{ renew, parameters, elapsedMs: this.#dependencies.elapsedMs },
      onWait: () => topic.schedule(),
      onLeave: () => {
        leave();
        this.#left(source, followed);
      },
    });
    const followed: Followed = { reader, topic, rights: rightsOf(call) };
    this.#follow(followed);
    call.cancellation.onCancel(() => reader.leave());
    try {
      await topic.current(this.#dependencies.engine.records.lsn);
    } catch (error) {
      reader.leave();
      throw error;
    }
    const { lastEventId } = parameters;
    if (lastEventId !== null && topic.isAnswerOf(lastEventId)) reader.answerNumber = topic.answerNumber;
    return reader;
  }

  /** Counts a stream. Returns the function that ends it. Throws 1502. */
  #count({ caller, databaseId }: DatabaseCall): () => void {
    const { streamsPerKeyMax, streamsPerDatabaseMax } = this.#dependencies.settings;
    const key = caller.kind === 'user' ? `user ${caller.email}` : `key ${caller.hash}`;
    const limits = [
      [key, streamsPerKeyMax, 'this key'],
      [`database ${databaseId}`, streamsPerDatabaseMax, 'this database'],
    ] as const;
    for (const [name, max, who] of limits) {
      if ((this.#streamCounts.get(name) ?? 0) < max) continue;
      const text = `${who} already has ${max} live streams`;
      throw new QuarryError(1502, text, { 'retry-after': RETRY_SECONDS });
    }
    for (const [name] of limits) this.#streamCounts.set(name, (this.#streamCounts.get(name) ?? 0) + 1);
    return () => {
      for (const [name] of limits) {
        const count = (this.#streamCounts.get(name) ?? 0) - 1;
        if (count > 0) this.#streamCounts.set(name, count);
        else this.#streamCounts.delete(name);
      }
    };
  }

  #topicOf(source: LiveSource): LiveTopic {
    let topic = this.#topics.get(source.key);
    if (topic === undefined) {
      const { engine, elapsedMs } = this.#dependencies;
      topic = new LiveTopic(source, { elapsedMs, reserve: (bytes) => engine.holdMemory(bytes) });
      this.#topics.set(source.key, topic);
    }
    return topic;
  }

  #follow(followed: Followed): void {
    const { engine, settings } = this.#dependencies;
    followed.topic.readers.add(followed.reader);
    this.#followed.add(followed);
    if (this.#unfollow !== null) return;
    this.#checked = engine.catalog();
    this.#unfollow = engine.records.follow(() => this.#onRecord());
    this.#commenting = setInterval(() => this.#comment(), settings.commentSeconds * 1_000);
  }

  #left({ key }: LiveSource, followed: Followed): void {
    followed.topic.readers.delete(followed.reader);
    this.#followed.delete(followed);
    if (followed.topic.left() && this.#topics.get(key) === followed.topic) this.#topics.delete(key);
    if (this.#followed.size > 0) return;
    this.#unfollow?.();
    this.#unfollow = null;
    clearInterval(this.#commenting);
    clearTimeout(this.#waking);
    this.#waking = undefined;
  }

  #onRecord(): void {
    if (this.#dependencies.engine.catalog() !== this.#checked) this.#checkRights();
    this.#waking ??= setTimeout(() => {
      this.#waking = undefined;
      for (const topic of [...this.#topics.values()]) topic.wake();
    }, WAKE_MS);
  }

  #comment(): void {
    // The rights of users depend on the time.
    this.#checkRights();
    for (const { reader } of [...this.#followed]) reader.comment();
  }

  #checkRights(): void {
    this.#checked = this.#dependencies.engine.catalog();
    for (const { reader, rights } of [...this.#followed]) {
      try {
        if (rightsOf(reader.renew(NEVER).call) === rights) continue;
        reader.end('key', { code: 502, message: 'the key or the addresses of the database were changed' });
      } catch (error) {
        reader.end('key', knownError(error));
      }
    }
  }
}

const NEVER: Cancellation = { isCancelled: false, onCancel: () => {} };

/** Everything of a caller on which the rights and the reach of its requests depend. */
const rightsOf = ({ caller, catalog, databaseId }: DatabaseCall): string =>
  JSON.stringify([caller, propertiesOf(catalog, databaseId).addressesWhitelist]);
