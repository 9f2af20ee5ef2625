/**
 * Runs the parts of a body of lines: each as a request of its own, by the handler of the endpoint, with a name of its own
 * where the request has one. Whoever is not let in any more is refused with the next part.
 */
import { type HangUp, invariant } from '../base/index.js';
import type { Admitted } from './admission.js';
import type { BodyPart } from './body-parts.js';
import type { HandlerRunner } from './call.js';
import type { Members } from './handlers/handler.js';
import { partOnceIdOf } from './idempotency.js';
import type { RequestLog } from './request-log.js';
import type { RequestNotes } from './request-notes.js';

export interface PartRunnerNeeds {
  readonly runner: HandlerRunner;
  readonly log: RequestLog;
  readonly admitted: Admitted;
  readonly hangUp: HangUp;
  readonly notes: RequestNotes;
}

export class PartRunner {
  readonly #needs: PartRunnerNeeds;

  constructor(needs: PartRunnerNeeds) {
    this.#needs = needs;
  }

  /** Copies `text` before it returns. Throws, or rejects with, what the handler does. */
  async apply(part: BodyPart, text: Uint8Array<ArrayBuffer>): Promise<Members> {
    const { runner, log, admitted, hangUp, notes } = this.#needs;
    const { onceId } = admitted;
    const named = onceId === null ? admitted : { ...admitted, onceId: partOnceIdOf(onceId, part.number) };
    const ofPart = notes.ofPart();
    const members = await runner.run(named, text, hangUp, ofPart, part.lines);
    invariant(typeof members === 'string', 'an endpoint that takes lines streams no rows');
    log.audit(ofPart, 200);
    return members;
  }
}
