/** What all requests to one server share, and the head and body of each. */
import type { QuarryError } from '../../base/index.js';
import type { BodyLength } from '../auth/admission.js';
import type { HandlerRunner } from '../endpoints/handler-runner.js';
import type { ReportDependencies } from '../observability/request-report.js';
import type { ParquetThreads } from '../parquet/parquet-threads.js';
import type { Answer } from './answer.js';
import type { ByteBudget } from './body.js';
import type { BodyDecoder, Encoding } from './decode.js';

/** State and services that the requests of one server share. */
export interface ServerContext extends ReportDependencies {
  readonly runner: HandlerRunner;
  readonly budget: ByteBudget;
  readonly decoder: BodyDecoder;
  /** Requests that wait for bytes of their body, or for their client to take bytes of the answer. */
  readonly waiting: Set<{ tick(): void }>;
  readonly bodySecondsMax: number;
  readonly arrowBatchBytesMax: number;
  readonly parquet: ParquetThreads;
  readonly stallSecondsMax: number;
  /** True once the server closes: every answer closes its connection. */
  closing: boolean;
  openCount: number;
  /** Called whenever a request is over. */
  closed(): void;
}

export interface RequestHead {
  readonly requestId: string;
  /** The client's address is read in the turn in which the head is handled. */
  readonly peer: { readonly address: string };
  /** HEAD: the answer is sent without its body. */
  readonly bodyless: boolean;
  readonly length: BodyLength;
}

export interface BodyRules {
  readonly encoding: Encoding;
  /** Limit of the body as sent and as decoded. */
  readonly bytesMax: number;
}

/** What is done with a whole body. */
export interface BodyWork {
  /** May reject with any error. */
  answer(body: Uint8Array<ArrayBuffer>): Answer | Promise<Answer>;
  /** `isReceived` false = the answer is sent before the body has ended, so it must be a text. */
  refusal(error: QuarryError, isReceived: boolean): Answer;
}
