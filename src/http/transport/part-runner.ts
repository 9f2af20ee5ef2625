/**
 * Runs the endpoint's handler for each part of a line body, as a request of its own: with an idempotency key of its own if
 * the request has one. A caller that is no longer authorized is refused with the next part.
 */
import { type Cancellation, invariant } from '../../base/index.js';
import type { Quarantined } from '../../ingest/index.js';
import type { AdmittedRequest } from '../auth/admission.js';
import type { HandlerRunner } from '../endpoints/handler-runner.js';
import type { Members } from '../endpoints/handlers/handler.js';
import { bodyIdempotencyIdOf, partIdempotencyIdOf } from '../endpoints/idempotency.js';
import type { RequestLog } from '../observability/request-log.js';
import type { RequestNotes } from '../observability/request-notes.js';
import type { BodyPart } from './part-source.js';

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

  constructor(dependencies: PartRunnerDependencies) {
    this.#dependencies = dependencies;
  }

  /** Copies `text` before it returns. Throws, or rejects with, the handler's error. */
  async apply(part: BodyPart, text: Uint8Array<ArrayBuffer>): Promise<Members> {
    const { runner, log, admitted, cancellation, notes } = this.#dependencies;
    const idempotencyId = idOfPart(admitted, part.number, text);
    const named = idempotencyId === null ? admitted : { ...admitted, idempotencyId };
    const ofPart = notes.ofPart();
    const members = await runner.run(named, text, cancellation, ofPart, part.lines);
    invariant(typeof members === 'string', 'an endpoint with line bodies does not stream rows');
    if (ofPart.quarantined !== null) this.#dependencies.quarantined(part, ofPart.quarantined);
    log.audit(ofPart, 200);
    return members;
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
