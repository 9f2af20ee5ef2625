/** Generated requests of the query interface, and the comparison of a server's answers with the model. */
import { type Json, type JsonObject, parseJson } from '../../src/api/index.js';
import type { Prng } from '../../src/base/index.js';
import { answerDifference, rowsDifference } from '../support/answers.js';
import type { ConformanceServer } from '../support/conformance-server.js';
import { jsonText, num } from '../support/generate.js';
import {
  generateAggregation,
  generateCountEvents,
  generateExtraction,
  generateScore,
  generateTopValues,
  type QueryWorld,
} from '../support/generate-queries.js';
import type { RowModel } from '../support/model.js';

const KINDS = ['count/event', 'aggregation', 'top_values', 'result', 'score'] as const;
export type Kind = (typeof KINDS)[number];

/** Number of queries of each kind in a hundred. A body contains several counts of events or of top values. */
const SHARES: Readonly<Record<Kind, number>> = {
  'count/event': 25,
  aggregation: 25,
  top_values: 30,
  result: 12,
  score: 8,
};
const PATHS: Readonly<Record<Kind, string>> = {
  'count/event': '/v1/query/count/event',
  aggregation: '/v1/query/aggregation',
  top_values: '/v1/query/top_values',
  result: '/v1/data_extraction/result',
  score: '/v1/data_extraction/score',
};
const TOP_VALUES_PER_BODY = 20;
const PAGE_ROWS = 1024;
const IN_FLIGHT = 4;

export interface Question {
  readonly kind: Kind;
  readonly body: Json;
  readonly queryCount: number;
}

/** Questions with `queryCount` queries in total, in the proportions of SHARES. */
export function generateQuestions(prng: Prng, world: QueryWorld, queryCount: number): Question[] {
  return KINDS.flatMap((kind) => {
    const questions: Question[] = [];
    for (let left = Math.ceil((queryCount * SHARES[kind]) / 100); left > 0; ) {
      const question = generateQuestion(prng, world, kind, left);
      questions.push(question);
      left -= question.queryCount;
    }
    return questions;
  });
}

function generateQuestion(prng: Prng, world: QueryWorld, kind: Kind, countMax: number): Question {
  switch (kind) {
    case 'count/event': {
      const body = generateCountEvents(prng, world, countMax);
      return { kind, body, queryCount: Array.isArray(body) ? body.length : 1 };
    }
    case 'top_values': {
      const queryCount = Math.min(TOP_VALUES_PER_BODY, countMax);
      return { kind, body: generateTopValues(prng, world, queryCount), queryCount };
    }
    default: {
      const generate = { aggregation: generateAggregation, result: generateExtraction, score: generateScore };
      return { kind, body: generate[kind](prng, world), queryCount: 1 };
    }
  }
}

/** Sends all questions, several concurrently; returns a description of each wrong answer. */
export async function runQuestion(
  server: ConformanceServer,
  model: RowModel,
  questions: readonly Question[],
): Promise<string[]> {
  const wrong: string[] = [];
  const waiting = [...questions];
  const queryNext = async (): Promise<void> => {
    for (let question = waiting.shift(); question !== undefined; question = waiting.shift()) {
      const difference = await differenceOf(server, model, question);
      if (difference !== null)
        wrong.push(`${PATHS[question.kind]} ${jsonText(question.body)}: ${difference}`);
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, queryNext));
  return wrong;
}

async function differenceOf(
  server: ConformanceServer,
  model: RowModel,
  { kind, body }: Question,
): Promise<string | null> {
  const nowMs = Date.now();
  if (kind === 'result') {
    const pages = await fetchPages(server, body);
    return typeof pages === 'string' ? pages : rowsDifference(model.extract(body, nowMs), pages);
  }
  const answer = await post(server, kind, body);
  if (typeof answer === 'string') return answer;
  switch (kind) {
    case 'count/event':
      return answerDifference(model.countEvents(body, nowMs), answer.get('result'));
    case 'aggregation':
      return answerDifference(model.aggregate(body, nowMs), answer.get('result'));
    case 'top_values':
      return answerDifference(model.topValues(body, nowMs), answer.get('result'));
    case 'score':
      return pageError(answer, 1, true) ?? rowsDifference(model.score(body, nowMs), [answer.get('data')]);
  }
}

/** The body of the answer, or a description of the error. */
async function post(server: ConformanceServer, kind: Kind, body: Json): Promise<JsonObject | string> {
  const { status, text } = await server.post(PATHS[kind], jsonText(body));
  if (status !== 200) return `HTTP ${status}, ${text.slice(0, 500)}`;
  return parseJson(Buffer.from(text)) as JsonObject;
}

/** The data of each page, or a description of the error. */
async function fetchPages(server: ConformanceServer, body: Json): Promise<Json[] | string> {
  const pages: Json[] = [];
  let token: Json | undefined;
  do {
    const pageBody = token === undefined ? body : new Map([...(body as JsonObject), ['page-token', token]]);
    const answer = await post(server, 'result', pageBody);
    if (typeof answer === 'string') return `page ${pages.length + 1}: ${answer}`;
    token = answer.get('page-token');
    const fault = pageError(answer, pages.length + 1, token === undefined);
    if (fault !== null) return fault;
    pages.push(answer.get('data') ?? null);
  } while (token !== undefined);
  return pages;
}

/** Errors in the numbers of a page and, if another page follows, in its row count. */
function pageError(answer: JsonObject, number: number, isLast: boolean): string | null {
  const expected = new Map([
    ['page', num(number)],
    ['next-page', isLast ? null : num(number + 1)],
  ]);
  const found = new Map([...expected.keys()].map((key) => [key, answer.get(key) ?? null]));
  const data = answer.get('data');
  const rowCount = Array.isArray(data) ? data.length : data instanceof Map ? data.size : 0;
  if (rowCount > PAGE_ROWS || (!isLast && rowCount < PAGE_ROWS)) return `page ${number} has ${rowCount} rows`;
  return answerDifference(expected, found, `page ${number}`);
}

/**
 * Requests all pages twice, and checks that both times the pages have the same rows, and that they are those of the
 * model.
 */
export async function fetchPagesTwice(
  server: ConformanceServer,
  model: RowModel,
  body: Json,
): Promise<string | null> {
  const [first, second] = [await fetchPages(server, body), await fetchPages(server, body)];
  if (typeof first === 'string') return first;
  if (typeof second === 'string') return second;
  return (
    rowsDifference(model.extract(body, Date.now()), first) ??
    answerDifference(first, second, 'the pages once more')
  );
}
