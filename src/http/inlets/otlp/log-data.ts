/** The logs of a request of OTLP, as both encodings have them. Missing values are undefined. */
import type { Json } from '../../../api/index.js';

export type Attributes = ReadonlyMap<string, Json>;

export interface LogRecord {
  /** Nanoseconds since 1970; 0 = unknown. */
  readonly timeUnixNano: bigint;
  readonly observedTimeUnixNano: bigint;
  readonly severityNumber: number;
  readonly severityText: string;
  readonly body: Json | undefined;
  readonly attributes: Attributes;
  readonly droppedAttributesCount: number;
  readonly flags: number;
  /** Hexadecimal; empty = none. */
  readonly traceId: string;
  readonly spanId: string;
  readonly eventName: string;
}

export interface ScopeLogs {
  readonly name: string;
  readonly version: string;
  readonly attributes: Attributes;
  readonly records: readonly LogRecord[];
}

export interface ResourceLogs {
  readonly attributes: Attributes;
  readonly scopes: readonly ScopeLogs[];
}

/** Levels of lists and objects in a value. */
export const VALUE_LEVELS_MAX = 64;
