/** Settings of the HTTP server. */
import type { InletSetting } from '../inlets/inlet-settings.js';
import type { LimitTable } from '../limits/limit-table.js';
import { LIVE_DEFAULTS, type LiveSettings } from '../live/live-hub.js';
import { ARROW_BATCH_BYTES_MAX } from './arrow-parts.js';
import type { ProxyList } from './proxy.js';

export interface HttpSettings {
  readonly host: string;
  /** 0 = any free port. */
  readonly httpsPort: number;
  readonly httpPort: number;
  /** Paths of PEM files. */
  readonly certFile: string;
  readonly keyFile: string;
  /** null = no proxy is trusted. */
  readonly proxies: ProxyList | null;
  /** The protocols of other products that are served; empty = none. */
  readonly inlets: readonly InletSetting[];
  /** null = neither rates nor plans limit requests. */
  readonly limits: LimitTable | null;
  /** Queries that take at least this long are logged as slow; null = none is. */
  readonly slowQueryMs: number | null;
  /** Seconds from a request's head to the last byte of its body. */
  readonly bodySecondsMax: number;
  /** Limit of the memory of all bodies that are being received or worked on. */
  readonly bodyBytesReservedMax: number;
  /** Limit of a record batch of Arrow. */
  readonly arrowBatchBytesMax: number;
  /** Seconds for which a client may accept nothing of an answer that is being sent. */
  readonly stallSecondsMax: number;
  /** Seconds that `close` waits for running requests. */
  readonly closeSecondsMax: number;
  readonly live: LiveSettings;
}

export const HTTP_DEFAULTS = {
  inlets: [],
  live: LIVE_DEFAULTS,
  bodySecondsMax: 60,
  stallSecondsMax: 120,
  bodyBytesReservedMax: 256 * 2 ** 20,
  arrowBatchBytesMax: ARROW_BATCH_BYTES_MAX,
  closeSecondsMax: 10,
  slowQueryMs: 1_000,
} satisfies Partial<HttpSettings>;
