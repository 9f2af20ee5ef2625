/** Connects the line body of a request with the runner of its parts and the report of the request. */
import type { Cancellation } from '../../base/index.js';
import type { AdmittedRequest } from '../auth/admission.js';
import type { RequestReport } from '../observability/request-report.js';
import { sendAnswer, writeHead } from './answer.js';
import { LineStream } from './line-stream.js';
import { PartRunner } from './part-runner.js';
import { partsOf } from './record-lines.js';
import type { ServerContext } from './server-context.js';
import type { Response } from './uws.js';

export interface LineRequest {
  readonly server: ServerContext;
  readonly response: Response;
  readonly report: RequestReport;
  readonly admitted: AdmittedRequest;
  readonly cancellation: Cancellation;
}

export function lineStreamOf({ server, response, report, admitted, cancellation }: LineRequest): LineStream {
  const { notes } = report;
  const { requestId } = notes;
  const parts = new PartRunner({
    ...{ runner: server.runner, log: server.log, admitted, notes, cancellation },
    quarantined: (part, quarantined) => report.partQuarantined(part, quarantined),
  });
  return new LineStream({
    server,
    response,
    encoding: admitted.encoding,
    ...partsOf(admitted.records, server),
    apply: (part, text) => parts.apply(part, text),
    errorOf: (error) => report.errorOf(error),
    refused: (part, error) => report.partRefused(part, error),
    writeHead: (head) => writeHead(response, head, requestId, report.rate),
    answer: (answer) => {
      const ending = server.closing ? 'close' : 'keep';
      sendAnswer(response, answer, { requestId, rate: report.rate, bodyless: false, ending });
    },
  });
}
