/**
 * Every endpoint that has a body, with every value of a valid body replaced by values of random types, half of those there are
 * (QUARRY_TEST_ROUNDS=18: all), and with an unknown field in every object. Each request is answered with success or with codes
 * of the table that are not server errors.
 * The unknown field is refused by its name.
 */
import t from 'tap';
import { type ErrorCode, Prng } from '../../../src/base/index.js';
import { ENDPOINTS } from '../../../src/http/endpoints/endpoints.js';
import { nameOf } from '../../../src/http/endpoints/router.js';
import type { ApiRequest, JsonClient } from '../../support/json-client.js';
import { BODIES, type Body, MODEL, QUERY_NAME } from './codes-bodies.js';
import { codesOf, errorsOf, startCodesServer } from './codes-server.js';
import { type Swapped, swapsOf, TOKENS, UNKNOWN } from './codes-swaps.js';

const SEED = Number(process.env.QUARRY_SEED ?? Date.now() % 1_000_000);
/** Replacements of each value, on average. */
const TRIED = Number(process.env.QUARRY_TEST_ROUNDS ?? TOKENS.length / 2);
const ANSWER_MS_MAX = 30_000;
/** Members of the body itself, or of an item of a body that is a list. */
const OUTERMOST = /^\$(\[\d+\])?$/;
/** Endpoints that ignore their body. */
const BODILESS: readonly string[] = [
  'DELETE /v1/query/saved/:query_name',
  'DELETE /v1/segment/:segment_name',
  'DELETE /v1/status/queries/:query_id',
];
const FAULTS: readonly ErrorCode[] = [1, 2];

interface Tally {
  requestCount: number;
  readonly codes: Map<ErrorCode | 'success', number>;
}

/** Description of the error in the answer to a changed body; null if there is none. */
function wrongWith({ token }: Swapped, codes: readonly ErrorCode[], text: string): string | null {
  if (codes.some((code) => FAULTS.includes(code))) return 'a server error';
  if (token !== null) return null;
  if (codes.length === 0) return 'the unknown field was accepted';
  return text.includes(UNKNOWN) ? null : 'the unknown field is not named';
}

const TRIES_MAX = 20;

class Sweep {
  readonly problems: string[] = [];
  readonly #client: JsonClient;
  readonly #key: string;
  readonly #tally: Tally;
  readonly #prng: Prng;

  constructor(client: JsonClient, key: string, tally: Tally, seed: number) {
    this.#client = client;
    this.#key = key;
    this.#tally = tally;
    this.#prng = new Prng(seed);
  }

  async run(name: string, { body, unknown, before = [], pathName = QUERY_NAME }: Body): Promise<void> {
    const [method, path] = name.replace(/:\w+/, pathName).split(' ') as ['POST' | 'PUT' | 'DELETE', string];
    await this.#prepare(before);
    const plain = await this.#send({ method, path, body });
    if (plain.status !== 200) this.problems.push(`the valid body: ${JSON.stringify(plain.body)}`);
    await this.#prepare(before);
    for (const swapped of swapsOf(body, () => this.#prng.below(TOKENS.length) < TRIED)) {
      const reply = await this.#send({ method, path, text: swapped.text });
      const codes = codesOf(reply);
      const text =
        codes.length === 0
          ? ''
          : errorsOf(reply)
              .map(({ message }) => message)
              .join(' ');
      const wrong = wrongWith(swapped, codes, text);
      const { path: location, token } = swapped;
      const change = `${location} ${token === null ? 'with an unknown field' : `= ${token.slice(0, 40)}`}`;
      if (wrong !== null) this.problems.push(`${change}: ${wrong}: ${codes} ${text}`);
      else if (token === null && unknown !== null && OUTERMOST.test(location) && codes[0] !== unknown) {
        this.problems.push(`${change}: ${codes[0]}, not ${unknown}`);
      }
      if (codes.length === 0) await this.#prepare(before);
    }
  }

  async #prepare(before: readonly ApiRequest[]): Promise<void> {
    for (const request of before) await this.#client.request({ ...request, key: this.#key });
  }

  /** Sends a request, and repeats it if another sweep changed the model meanwhile and the answer permits a retry. */
  async #send(request: ApiRequest): ReturnType<JsonClient['request']> {
    for (let left = TRIES_MAX; ; left--) {
      const reply = await this.#attempt(request);
      if (left === 1 || codesOf(reply)[0] !== 9004) return reply;
    }
  }

  async #attempt(request: ApiRequest): ReturnType<JsonClient['request']> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      const error = new Error(`no answer: ${request.path} ${request.text}`);
      timer = setTimeout(() => reject(error), ANSWER_MS_MAX);
    });
    try {
      const reply = await Promise.race([this.#client.request({ ...request, key: this.#key }), late]);
      this.#tally.requestCount++;
      const key = codesOf(reply)[0] ?? 'success';
      this.#tally.codes.set(key, (this.#tally.codes.get(key) ?? 0) + 1);
      return reply;
    } finally {
      clearTimeout(timer);
    }
  }
}

t.setTimeout(290_000);

t.test('every endpoint that takes a JSON body has one here', async (t) => {
  const taking = ENDPOINTS.filter(
    ({ method, bodyType, takesRecords }) =>
      method !== 'GET' && bodyType === 'application/json' && !takesRecords,
  ).map(nameOf);
  t.strictSame([...Object.keys(BODIES), ...BODILESS].sort(), taking.sort());
});

t.test('values of other types and unknown fields are refused by a code, in any position', async (t) => {
  const { client, keys } = await startCodesServer(t);
  for (const request of MODEL) await client.succeed(request);
  const tally: Tally = { requestCount: 0, codes: new Map() };
  const sweeps = Object.entries(BODIES).map(async ([name, body], index) => {
    const sweep = new Sweep(client, body.team === true ? keys.team : keys.master, tally, SEED + index);
    await sweep.run(name, body);
    t.strictSame(sweep.problems, [], name);
  });
  await Promise.all(sweeps);
  const counts = [...tally.codes].map(([code, count]) => `${code}: ${count}`).sort();
  t.comment(`seed ${SEED}, ${tally.requestCount} requests; ${counts.join(', ')}`);
  t.ok(tally.requestCount > 3_000, 'thousands of requests');
});
