/**
 * Inserts records of one group like those of POST /v1/insert/lines: with the same checks, limits, metrics and quarantine.
 * Invariant: an outcome without an error means that the records are durable.
 */
import { type Cancellation, QuarryError, quoted } from '../../base/index.js';
import { isLineError, type Quarantined, type RecordMapping } from '../../ingest/index.js';
import type { RequestContext } from '../auth/authorize.js';
import type { HandlerRunner } from '../endpoints/handler-runner.js';
import { recordMappingOf } from '../endpoints/record-parameters.js';
import type { RequestLog } from '../observability/request-log.js';
import type { RequestReport } from '../observability/request-report.js';
import { PartRunner } from '../transport/part-runner.js';
import type { BodyPart } from '../transport/part-source.js';
import type { PartOutcome, RecordGroup } from './inlet.js';

export interface GroupInsertDependencies {
  readonly runner: HandlerRunner;
  readonly log: RequestLog;
  readonly context: RequestContext;
  readonly cancellation: Cancellation;
  readonly report: RequestReport;
  /** Whether what a group needs is created if it does not exist. */
  readonly creates: (group: RecordGroup) => Creates;
}

export interface Creates {
  readonly dimension: boolean;
  readonly columns: boolean;
  /** The dimension does not exist and may not be created. */
  readonly isBarred: boolean;
}

/** Consecutive records of a group. */
export interface RecordPart {
  /** From 1. */
  readonly number: number;
  /** The record in the group, from 1. */
  readonly firstLine: number;
  readonly lines: readonly string[];
}

export type InsertOutcome = Pick<PartOutcome, 'error' | 'quarantined'>;

export class GroupInsert {
  readonly #group: RecordGroup;
  readonly #dependencies: GroupInsertDependencies;
  readonly #creates: Creates;
  readonly #parameters: string;
  readonly #mapping: RecordMapping;

  constructor(group: RecordGroup, dependencies: GroupInsertDependencies) {
    this.#group = group;
    this.#dependencies = dependencies;
    this.#creates = dependencies.creates(group);
    this.#parameters = parametersOf(group, this.#creates);
    this.#mapping = recordMappingOf(this.#parameters, 'json');
  }

  /** The database of the request; null = it has none. */
  get databaseId(): number | null {
    return this.#dependencies.context.databaseId;
  }

  /** What the identities of records are compared within. */
  get dimension(): string {
    return this.#group.dimension;
  }

  /** `idempotencyId`: that of a write that takes effect once; null = it takes effect again. */
  async insert(
    { number, firstLine, lines }: RecordPart,
    idempotencyId: string | null,
  ): Promise<InsertOutcome> {
    const bytes = Buffer.from(lines.join('\n'));
    const text = new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const part = { number, firstLine, lineCount: lines.length, text, lines: { head: 0, first: firstLine } };
    if (this.#creates.isBarred) return this.#refused(part, barred(this.#group.dimension));
    let found: Quarantined | null = null;
    const runner = this.#runner(idempotencyId, (quarantined) => {
      found = quarantined;
    });
    try {
      await runner.apply(part, text);
      return { error: null, quarantined: found };
    } catch (thrown) {
      return this.#refused(part, lastingError(this.#dependencies.report.errorOf(thrown)));
    }
  }

  #runner(idempotencyId: string | null, onQuarantined: (quarantined: Quarantined) => void): PartRunner {
    const { runner, log, context, cancellation, report } = this.#dependencies;
    const form = { encoding: 'identity', inLines: true, pathName: '', format: 'json', live: null } as const;
    const records = { form: 'lines', mapping: this.#mapping } as const;
    return new PartRunner({
      ...{ runner, log, cancellation, notes: report.notes },
      admitted: { ...form, context, idempotencyId, bodyScope: null, records, quarantine: this.#parameters },
      quarantined: (part, quarantined) => {
        onQuarantined(quarantined);
        report.partQuarantined(part, quarantined);
      },
    });
  }

  #refused(part: BodyPart, error: QuarryError): InsertOutcome {
    this.#dependencies.report.partRefused(part, error);
    return { error, quarantined: null };
  }
}

/** A line that is refused goes to the quarantine, unless that is full: then it can be sent again later. */
const lastingError = (error: QuarryError): QuarryError =>
  isLineError(error.code) && error.code !== 5008 ? new QuarryError(9003, error.message) : error;

function barred(dimension: string): QuarryError {
  const how = 'create it with POST /v1/dimension, or send with a key that may create dimensions';
  return new QuarryError(5008, `the dimension ${quoted(dimension)} does not exist: ${how}`);
}

/** The query of a URL of POST /v1/insert/lines for these records. */
function parametersOf({ dimension, mapping }: RecordGroup, creates: Creates): string {
  const created = [...(creates.columns ? ['column'] : []), ...(creates.dimension ? ['dimension'] : [])];
  return new URLSearchParams({
    dimension,
    ...mapping,
    ...(created.length === 0 ? {} : { 'auto-create': created.join() }),
    unknown: creates.columns ? 'create' : 'refuse',
    'on-error': 'quarantine',
  }).toString();
}
