/**
 * Runs the endpoint's handler for each part of a line body, as a request of its own: with an idempotency key of its own if
 * the request has one. A caller that is no longer authorized is refused with the next part. After a part whose key belongs to another
 * one every further part is refused: the body is another one, or divided otherwise, and its rows may be stored under other numbers.
 */
import { type Cancellation, invariant, QuarryError } from '../../base/index.js';
import type { Quarantined } from '../../ingest/index.js';
import type { AdmittedRequest } from '../auth/admission.js';
import type { HandlerRunner } from '../endpoints/handler-runner.js';
import type { Members } from '../endpoints/handlers/handler.js';
import { bodyIdempotencyIdOf, partIdempotencyIdOf } from '../endpoints/idempotency.js';
import type { RequestLog } from '../observability/request-log.js';
import type { RequestNotes } from '../observability/request-notes.js';
import type { BodyPart } from './part-source.js';

const OTHER_BODY_CODE = 9001;

export interface PartRunnerDependencies {
  readonly runner: HandlerRunner;
  readonly log: RequestLog;
  readonly admitted: AdmittedRequest;
  readonly cancellation: Cancellation;
  readonly notes: RequestNotes;
  /** Called with the lines of a part that were kept. */
  readonly quarantined: (part: BodyPart, quarantined: Quarantined) => void;
}

export class PartRunner {
  readonly #dependencies: PartRunnerDependencies;
  /** Number of the part whose key belongs to another part; null = none. */
  #otherNumber: number | null = null;

  constructor(dependencies: PartRunnerDependencies) {
    this.#dependencies = dependencies;
  }

  /** Copies `text` before it returns. Throws, or rejects with, the handler's error. */
  async apply(part: BodyPart, text: Uint8Array<ArrayBuffer>): Promise<Members> {
    const { log, admitted, notes } = this.#dependencies;
    if (this.#otherNumber !== null) {
      const text = `this Idempotency-Key was used for a body with another part ${this.#otherNumber}: no later part is inserted`;
      throw new QuarryError(OTHER_BODY_CODE, text);
    }
    const idempotencyId = idOfPart(admitted, part.number, text);
    const named = idempotencyId === null ? admitted : { ...admitted, idempotencyId };
    const ofPart = notes.ofPart();
    const members = await this.#run(named, part, text, ofPart);
    if (ofPart.quarantined !== null) this.#dependencies.quarantined(part, ofPart.quarantined);
    log.audit(ofPart, 200);
    return members;
  }

  async #run(
    admitted: AdmittedRequest,
    { number, lines }: BodyPart,
    text: Uint8Array<ArrayBuffer>,
    notes: RequestNotes,
  ): Promise<Members> {
    const { runner, cancellation } = this.#dependencies;
    try {
      const members = await runner.run(admitted, text, cancellation, notes, lines);
      invariant(typeof members === 'string', 'an endpoint with line bodies does not stream rows');
      return members;
    } catch (error) {
      if (error instanceof QuarryError && error.code === OTHER_BODY_CODE) this.#otherNumber = number;
      throw error;
    }
  }
}

function idOfPart(
  { idempotencyId, bodyScope }: AdmittedRequest,
  number: number,
  text: Uint8Array,
): string | null {
  if (idempotencyId !== null) return partIdempotencyIdOf(idempotencyId, number);
  return bodyScope === null ? null : bodyIdempotencyIdOf(bodyScope, number, text);
}
