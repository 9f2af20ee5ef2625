/** Servers filled with generated histories, whose answers to questions are compared with those of the models. */
import {
  type Comparison,
  difference,
  member,
  objectOf,
  parseText,
  textOf,
} from '../support/conformance-json.js';
import { ConformanceServer } from '../support/conformance-server.js';
import { columnsBody, type GeneratedHistory, insertBodies, relationBody } from './histories.js';
import { answerText, type Kind, type Questions } from './model/answer.js';

/** As many as a body may contain. */
const QUESTIONS_MAX = 10;
const EXACT_ORDER: Comparison = { lists: 'in order', numbers: 'near' };
const SHOWN_CHARS = 4000;

export class BehaviourServer {
  readonly #server: ConformanceServer;

  private constructor(server: ConformanceServer) {
    this.#server = server;
  }

  /** Starts a server that ends with the test and contains the histories. */
  static async start(
    t: { readonly teardown: (end: () => Promise<void>) => unknown },
    shards: number,
    worlds: readonly GeneratedHistory[],
  ): Promise<BehaviourServer> {
    const server = await ConformanceServer.start(true, { shards, workers: Math.min(shards, 2) });
    t.teardown(() => server.stop());
    const filled = new BehaviourServer(server);
    for (const world of worlds) {
      await filled.succeed('/v1/column', columnsBody(world));
      await filled.succeed('/v1/column/relation', relationBody(world));
      for (const body of insertBodies(world)) await filled.succeed('/v1/insert', body);
    }
    return filled;
  }

  /** The text of a successful answer. */
  async succeed(path: string, body: unknown): Promise<string> {
    const { status, text } = await this.#server.post(path, JSON.stringify(body));
    if (status !== 200) throw new Error(`${path} ${JSON.stringify(body)}: HTTP ${status} ${text}`);
    return text;
  }

  /** The rows of a SELECT. */
  async rows(sql: string): Promise<object[]> {
    const { status, text } = await this.#server.sql(sql);
    if (status !== 200) throw new Error(`${sql}: HTTP ${status} ${text}`);
    return JSON.parse(text).result;
  }

  /** The answers to the questions, as JSON text of each. */
  async answers(kind: string, questions: readonly object[]): Promise<string[]> {
    const found: string[] = [];
    for (let from = 0; from < questions.length; from += QUESTIONS_MAX) {
      const some = questions.slice(from, from + QUESTIONS_MAX);
      const body = some.map((question, index) => ({ 'query-name': `q${index}`, ...question }));
      const answer = parseText(await this.succeed(`/v1/query/${kind}`, body));
      const result = objectOf(member(objectOf(answer, 'the answer'), 'result'), 'result');
      found.push(...some.map((_, index) => textOf(member(result, `q${index}`)!)));
    }
    return found;
  }
}

/** The links of a flow's answer have no order. */
function inOrder(text: string): string {
  const answer = JSON.parse(text);
  if (!Array.isArray(answer.links)) return text;
  const links = answer.links.map((link: object) => JSON.stringify(Object.entries(link).sort()));
  return JSON.stringify({ ...answer, links: links.sort() });
}

/** The first difference of an answer from the model's, with the question; null if there is none. */
export function differenceFrom<K extends Kind>(
  kind: K,
  question: Questions[K],
  { history }: GeneratedHistory,
  found: string,
): string | null {
  const expected = answerText(kind, question, history);
  const [left, right] = kind === 'flow' ? [inOrder(expected), inOrder(found)] : [expected, found];
  const wrong = difference(parseText(left), parseText(right), EXACT_ORDER, 'result');
  if (wrong === null) return null;
  return `${kind} ${JSON.stringify(question)}: ${wrong.slice(0, SHOWN_CHARS)}`;
}
