/** Asks the tour's questions one by one and prints each with what was sent, the answer and its time. */
import type { DemoClient } from './client.js';
import type { Output } from './progress.js';
import { formatCount } from './progress.js';
import { QUESTIONS, type Question } from './questions.js';

/** The part of a server's answer that answers the question, as the interface gives it. */
export type Answer = number | Readonly<Record<string, number>> | { exists: string[]; 'not-exists': string[] };

export interface Answered {
  readonly question: Question;
  readonly answer: Answer;
  /** End to end, on a warm connection: the first time, and the median of the repeats. */
  readonly firstMs: number;
  readonly againMs: number;
}

const REPEATS = 5;
const SENT_CHARS_MAX = 160;

/** Takes the answer out of a response body: one count as a number, several by their names, or the two ID lists. */
export function answerOf(question: Question, response: unknown): Answer {
  const body = response as {
    readonly result: Readonly<Record<string, number>>;
    readonly exists: string[];
    readonly 'not-exists': string[];
  };
  if (question.path === '/v1/query/exists/entity')
    return { exists: body.exists, 'not-exists': body['not-exists'] };
  const counts = Object.values(body.result);
  return counts.length === 1 ? counts[0] : body.result;
}

function formatAnswer(answer: Answer): string {
  if (typeof answer === 'number') return formatCount(answer);
  return Object.entries(answer)
    .map(
      ([name, value]) =>
        `${name}: ${typeof value === 'number' ? formatCount(value) : value.join(', ') || 'none'}`,
    )
    .join(' | ');
}

const formatMs = (ms: number): string => `${ms.toFixed(ms < 10 ? 2 : 1)} ms`;

async function ask(
  client: DemoClient,
  readKey: string,
  question: Question,
  elapsedMs: () => number,
): Promise<Answered> {
  const body = question.body === null ? null : JSON.stringify(question.body);
  const times: number[] = [];
  let answer: Answer = 0;
  for (let turn = 0; turn <= REPEATS; turn++) {
    const startMs = elapsedMs();
    const response = await client.send(question.method, question.path, readKey, body);
    times.push(elapsedMs() - startMs);
    answer = answerOf(question, response);
  }
  const [firstMs, ...again] = times;
  again.sort((a, b) => a - b);
  return { question, answer, firstMs, againMs: again[again.length >> 1] };
}

const cut = (text: string): string =>
  text.length > SENT_CHARS_MAX ? `${text.slice(0, SENT_CHARS_MAX)}…` : text;

/** What of a body is worth reading: the conditions of a count, else the whole; long ones cut. */
function sentText(question: Question): string {
  if (question.body === null) return '';
  const queries = question.body as readonly { 'query-name': string; query: unknown }[];
  if (!Array.isArray(question.body)) return cut(JSON.stringify(question.body));
  const shown = cut(JSON.stringify(queries[0].query));
  return queries.length === 1 ? shown : `${shown} and ${queries.length - 1} more like it`;
}

/** Every question's answer, in the table's order; each is printed as it comes. */
export async function runTour(
  client: DemoClient,
  readKey: string,
  out: Output,
  elapsedMs: () => number,
): Promise<Answered[]> {
  const answered: Answered[] = [];
  for (const [index, question] of QUESTIONS.entries()) {
    const one = await ask(client, readKey, question, elapsedMs);
    answered.push(one);
    out.write(`\n${String(index + 1).padStart(2)}. ${question.text}\n`);
    out.write(`    ${question.method} ${question.path} ${sentText(question)}\n`);
    out.write(
      `    = ${formatAnswer(one.answer)}   (${formatMs(one.firstMs)}, again ${formatMs(one.againMs)})\n`,
    );
  }
  return answered;
}
