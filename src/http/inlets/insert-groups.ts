/**
 * Inserts the records of an inlet's body like those of POST /v1/insert/lines: part by part, with the same checks, limits, metrics
 * and quarantine. A part has records of one group and is one insert.
 * Invariant: an outcome without an error means that the records of the part are durable.
 */
import { type Cancellation, QuarryError, quoted } from '../../base/index.js';
import { isLineError, type Quarantined, type RecordMapping } from '../../ingest/index.js';
import type { RequestContext } from '../auth/authorize.js';
import type { HandlerRunner } from '../endpoints/handler-runner.js';
import { recordMappingOf } from '../endpoints/record-parameters.js';
import type { RequestLog } from '../observability/request-log.js';
import type { RequestReport } from '../observability/request-report.js';
import { type BodyPart, PART_BYTES_MAX, PART_LINES_MAX } from '../transport/body-parts.js';
import { PartRunner } from '../transport/part-runner.js';
import { mayPass, type PartOutcome, type RecordGroup } from './inlet.js';

/** Limit of the bytes of all records of one body: values that the body has once may be in each of its records. */
export const RECORD_BYTES_MAX = 16 * PART_BYTES_MAX;

/** Memory of a part: its lines, one text of them, and the bytes of that. */
const BYTES_PER_PART_BYTE = 3;

export interface GroupInsertDependencies {
  readonly runner: HandlerRunner;
  readonly log: RequestLog;
  readonly context: RequestContext;
  readonly cancellation: Cancellation;
  readonly report: RequestReport;
  /** Whether what a group needs is created if it does not exist. */
  readonly creates: (group: RecordGroup) => Creates;
  /** Reserves memory until the request is over. Throws 9003. */
  readonly reserve: (bytes: number) => void;
}

export interface Creates {
  readonly dimension: boolean;
  readonly columns: boolean;
  /** The dimension does not exist and may not be created. */
  readonly isBarred: boolean;
}

interface Part {
  readonly number: number;
  readonly firstLine: number;
  readonly lines: readonly string[];
  readonly byteLength: number;
}

export async function insertGroups(
  groups: readonly RecordGroup[],
  dependencies: GroupInsertDependencies,
): Promise<readonly PartOutcome[]> {
  const outcomes: PartOutcome[] = [];
  let reservedBytes = 0;
  let lasting: QuarryError | null = null;
  for (const [index, group] of groups.entries()) {
    const inserts = new GroupInsert(group, dependencies);
    for (const part of partsOf(group.lines)) {
      const partBytes = part.byteLength * BYTES_PER_PART_BYTE;
      dependencies.reserve(Math.max(0, partBytes - reservedBytes));
      reservedBytes = Math.max(reservedBytes, partBytes);
      // What is refused for lack of capacity would be refused now, too.
      const outcome: Omit<PartOutcome, 'group' | 'lineCount'> =
        lasting === null ? await inserts.insert(part) : { error: lasting, quarantined: null };
      if (outcome.error !== null && mayPass(outcome.error.status)) lasting = outcome.error;
      outcomes.push({ ...outcome, group: index, lineCount: part.lines.length });
    }
  }
  return outcomes;
}

/** Divides lines into parts of limited size. Throws 1507 if all of them together are too long. */
function* partsOf(lines: Iterable<string>): Generator<Part> {
  let number = 1;
  let firstLine = 1;
  let part: string[] = [];
  let partBytes = 0;
  let sumBytes = 0;
  for (const line of lines) {
    const bytes = Buffer.byteLength(line) + 1;
    sumBytes += bytes;
    if (sumBytes > RECORD_BYTES_MAX) {
      throw new QuarryError(1507, `the records of the body are longer than ${RECORD_BYTES_MAX} bytes`);
    }
    if (part.length > 0 && (part.length === PART_LINES_MAX || partBytes + bytes > PART_BYTES_MAX)) {
      yield { number: number++, firstLine, lines: part, byteLength: partBytes };
      firstLine += part.length;
      part = [];
      partBytes = 0;
    }
    part.push(line);
    partBytes += bytes;
  }
  if (part.length > 0) yield { number, firstLine, lines: part, byteLength: partBytes };
}

class GroupInsert {
  readonly #group: RecordGroup;
  readonly #dependencies: GroupInsertDependencies;
  readonly #creates: Creates;
  readonly #parts: PartRunner;
  #quarantined: Quarantined | null = null;

  constructor(group: RecordGroup, dependencies: GroupInsertDependencies) {
    this.#group = group;
    this.#dependencies = dependencies;
    this.#creates = dependencies.creates(group);
    const { runner, log, context, cancellation, report } = dependencies;
    const quarantine = parametersOf(group, this.#creates);
    const mapping: RecordMapping = recordMappingOf(quarantine, 'json');
    this.#parts = new PartRunner({
      ...{ runner, log, cancellation, notes: report.notes },
      admitted: {
        ...{
          context,
          encoding: 'identity',
          inLines: true,
          pathName: '',
          idempotencyId: null,
          format: 'json',
        },
        records: { form: 'lines', mapping },
        quarantine,
      },
      quarantined: (part, quarantined) => {
        this.#quarantined = quarantined;
        report.partQuarantined(part, quarantined);
      },
    });
  }

  async insert({ number, firstLine, lines }: Part): Promise<Pick<PartOutcome, 'error' | 'quarantined'>> {
    this.#quarantined = null;
    const bytes = Buffer.from(lines.join('\n'));
    const text = new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const numbers = { head: 0, first: firstLine };
    const part = { number, firstLine, lineCount: lines.length, text, lines: numbers };
    if (this.#creates.isBarred) return this.#refused(part, barred(this.#group.dimension));
    try {
      await this.#parts.apply(part, text);
      return { error: null, quarantined: this.#quarantined };
    } catch (thrown) {
      return this.#refused(part, lastingError(this.#dependencies.report.errorOf(thrown)));
    }
  }

  #refused(part: BodyPart, error: QuarryError): Pick<PartOutcome, 'error' | 'quarantined'> {
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
