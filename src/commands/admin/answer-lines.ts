/** Answers the requests of the admin socket line by line. */
import type { Logger } from 'pino';
import type { Audit } from '../../http/index.js';
import type { AnswerLine } from '../../io/index.js';
import { administerAudited } from './admin-audit.js';
import { type AdminAnswer, readRequest } from './admin-request.js';
import type { AdminDependencies } from './administer.js';

export function answerLines(dependencies: AdminDependencies, log: Logger, audit: Audit): AnswerLine {
  const answer = async (line: string | null): Promise<AdminAnswer> => {
    if (line === null) return { answer: 'refused', message: 'the line is too long' };
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      return { answer: 'refused', message: 'the line is not JSON' };
    }
    const request = readRequest(value);
    if ('wrong' in request) return { answer: 'refused', message: request.wrong };
    const suffix = await administerAudited(dependencies, request, audit, 'admin socket');
    // Never log the request or the answer: they may hold a key.
    log.info({ do: request.do, answer: suffix.answer }, 'admin socket request');
    return suffix;
  };
  return async (line) => {
    try {
      return JSON.stringify(await answer(line));
    } catch (error) {
      log.error({ error: String(error) }, 'a request through the admin socket failed');
      return JSON.stringify({ answer: 'refused', message: 'internal error; see the log of the server' });
    }
  };
}
