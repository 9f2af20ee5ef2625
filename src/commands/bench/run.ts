/** Loads entities into an empty server, queries them, and returns the rates of both. */
import { RemoteClient } from '../remote/index.js';
import { type Measured, measure, type Pace } from './measure.js';
import type { BenchServer } from './server.js';
import {
  BENCH_COLUMNS,
  BENCH_QUESTIONS,
  type BenchQuestion,
  BenchTruth,
  benchBody,
  ENTITIES_PER_BODY,
} from './workload.js';

export interface BenchOptions {
  readonly entities: number;
  /** Duration of each query's repetition. */
  readonly seconds: number;
  readonly connections: number;
}

export interface BenchLine extends Measured {
  readonly name: string;
  /** Entities per request: the unit of the rate. */
  readonly each: number;
}

export interface BenchRun {
  readonly server: Pick<BenchServer, 'address' | 'masterKey'>;
  readonly options: BenchOptions;
  readonly pace: Pick<Pace, 'elapsedMs' | 'stop'>;
  /** Called when a step begins. */
  readonly begins: (name: string) => void;
}

/** Rejects with an Error when an answer is wrong. */
export async function runBench(run: BenchRun): Promise<BenchLine[]> {
  const { server, options } = run;
  const client = new RemoteClient(server.address, options.connections);
  const truth = new BenchTruth();
  const pace = { ...run.pace, connections: options.connections };
  const post = (path: string, body: string): Promise<unknown> =>
    client.json({ method: 'POST', path, key: server.masterKey, body });
  try {
    await post('/v1/column', JSON.stringify(BENCH_COLUMNS));
    run.begins('insert');
    const lines = [await insertAll(options.entities, truth, pace, post)];
    for (const question of BENCH_QUESTIONS) {
      run.begins(question.name);
      lines.push(await queryFor(options.seconds, question, truth, pace, post));
    }
    return lines;
  } finally {
    client.close();
  }
}

type Post = (path: string, body: string) => Promise<unknown>;

async function insertAll(entities: number, truth: BenchTruth, pace: Pace, post: Post): Promise<BenchLine> {
  let next = 0;
  const measured = await measure(pace, async () => {
    if (next >= entities) return false;
    const from = next;
    next = Math.min(from + ENTITIES_PER_BODY, entities);
    const { text, entityCount, valueCount } = benchBody(from, next, truth);
    const answer = (await post('/v1/insert', text)) as Record<string, unknown>;
    const { 'inserted-entities': inserted, 'inserted-values': values } = answer;
    if (inserted !== entityCount || values !== valueCount) {
      throw new Error(
        `wrong answer: sent ${entityCount} entities with ${valueCount} values, but the server counted ${inserted} and ${values}`,
      );
    }
    return true;
  });
  const each = Math.min(ENTITIES_PER_BODY, entities);
  return { ...measured, name: `insert of ${each} entities with 2 events each, on disk`, each };
}

async function queryFor(
  seconds: number,
  question: BenchQuestion,
  truth: BenchTruth,
  pace: Pace,
  post: Post,
): Promise<BenchLine> {
  const { name, path, body, errorOf } = question;
  const endMs = pace.elapsedMs() + seconds * 1000;
  const measured = await measure(pace, async () => {
    if (pace.elapsedMs() >= endMs) return false;
    const message = errorOf(await post(path, body), truth);
    if (message !== null) throw new Error(`wrong answer to "${name}": ${message}`);
    return true;
  });
  return { ...measured, name, each: 1 };
}
