/** Runs the queries of the tour one by one and prints each with its request, answer and time. */
import { invariant } from '../../base/index.js';
import type { Output } from '../progress.js';
import type { RemoteClient } from '../remote/client.js';
import { type Answer, answerOf, linesOfAnswer } from './answer.js';
import type { Question } from './question.js';

export interface DemoKeys {
  readonly masterKey: string;
  readonly readKey: string;
}

export interface Answered {
  readonly question: Question;
  readonly answer: Answer;
  /** End-to-end times on a warm connection: of the first request, and the median of the repetitions. */
  readonly firstMs: number;
  readonly againMs: number;
}

const REPEATS = 5;
const SENT_CHARS_MAX = 200;

const formatMs = (ms: number): string => `${ms.toFixed(ms < 10 ? 2 : 1)} ms`;

interface TourContext {
  readonly client: RemoteClient;
  readonly keys: DemoKeys;
  readonly elapsedMs: () => number;
}

/** The request body; for a page after the first with the page's token. */
async function bodyOf({ client }: TourContext, question: Question, key: string): Promise<string | null> {
  const { method, path, body, page = 1 } = question;
  if (body === null) return null;
  let text = JSON.stringify(body);
  for (let next = 2; next <= page; next++) {
    const answer = (await client.json({ method, path, key, body: text })) as {
      readonly 'page-token'?: string;
    };
    const token = answer['page-token'];
    invariant(token !== undefined, `the answer has no page ${next}`);
    text = JSON.stringify({ ...body, 'page-token': token });
  }
  return text;
}

async function runQuestion(context: TourContext, question: Question): Promise<Answered> {
  const { client, keys, elapsedMs } = context;
  const { before, method, path } = question;
  const key = before === undefined ? keys.readKey : keys.masterKey;
  if (before !== undefined) await client.json({ ...before, key, body: JSON.stringify(before.body) });
  const body = await bodyOf(context, question, key);
  const times: number[] = [];
  let answer: Answer = null;
  for (let turn = 0; turn <= REPEATS; turn++) {
    const startMs = elapsedMs();
    const response = await client.json({ method, path, key, ...(body === null ? {} : { body }) });
    times.push(elapsedMs() - startMs);
    answer = answerOf(question, response);
  }
  const [firstMs, ...again] = times;
  again.sort((a, b) => a - b);
  return { question, answer, firstMs, againMs: again[again.length >> 1] };
}

/** The part of a body to print: the conditions of a count, otherwise all except the cache option; long texts are cut. */
function sentText({ body, before }: Question): string {
  const sent = body ?? before?.body ?? null;
  if (sent === null) return '';
  if (!Array.isArray(sent)) {
    const fields = Object.entries(sent).filter(([name]) => name !== 'bypass-cache');
    return cut(JSON.stringify(Object.fromEntries(fields)));
  }
  const [first, ...more] = sent as { readonly query: unknown; readonly interval?: string }[];
  const interval = first.interval === undefined ? '' : ` by ${first.interval}`;
  const shown = `${cut(JSON.stringify(first.query))}${interval}`;
  return more.length === 0 ? shown : `${shown} and ${more.length} more like it`;
}

const cut = (text: string): string =>
  text.length > SENT_CHARS_MAX ? `${text.slice(0, SENT_CHARS_MAX)}…` : text;

/** Returns the answers in the order of the questions; prints each as it arrives. */
export async function runTour(
  questions: readonly Question[],
  client: RemoteClient,
  keys: DemoKeys,
  out: Output,
  elapsedMs: () => number,
): Promise<Answered[]> {
  const answered: Answered[] = [];
  for (const [index, question] of questions.entries()) {
    const one = await runQuestion({ client, keys, elapsedMs }, question);
    answered.push(one);
    out.write(`\n${String(index + 1).padStart(2)}. ${question.text}\n`);
    out.write(`    ${question.method} ${question.path} ${sentText(question)}\n`);
    const times = `(${formatMs(one.firstMs)}, again ${formatMs(one.againMs)})`;
    out.write(`    = ${linesOfAnswer(one.answer).join('\n      ')}   ${times}\n`);
  }
  return answered;
}
