/**
 * A server that grows through the sizes of a scale, for the lines scaling, counts, memory and restart. Bodies are written
 * once, one file per step, and used for every number of workers.
 */
import type { Bench } from '../bench.js';
import { generatePeople, repeatBody, writeBodies } from '../data/bodies.js';
import { People, peopleColumns } from '../data/people.js';
import { spawnLoad } from '../load/job.js';
import { checkHolds, type LoadResult, runLoad } from '../load/load.js';
import { type Expected, expectedOf } from '../oracle.js';
import type { PeerProcess } from '../peers/process.js';
import { QUESTIONS, type Question } from '../questions.js';
import { QuarryServer } from '../server/quarry.js';

export interface Step {
  readonly bodies: string;
  readonly from: number;
  readonly expected: Expected;
}

export interface Prepared {
  readonly people: People;
  readonly steps: readonly Step[];
}

export function prepareSteps(bench: Bench): Prepared {
  const people = new People(bench.seed, 'full');
  const { sizes } = bench.scale;
  bench.say('counts: writing the rows and computing the expected answers');
  const expected = expectedOf(people, QUESTIONS, sizes);
  const steps = sizes.map((size, index) => {
    const from = index === 0 ? 0 : sizes[index - 1];
    const bodies = `${bench.dir}/full-${size}.bodies`;
    writeBodies(bodies, generatePeople(people, from, size));
    return { bodies, from, expected: expected[index] };
  });
  return { people, steps };
}

export interface Grown {
  readonly entitiesPerSecond: number;
  readonly cpuSecondsPerMillion: number;
}

export async function startStore(bench: Bench, workers: number): Promise<QuarryServer> {
  const server = bench.keep(await QuarryServer.start(bench.newDir(), workers));
  await server.createColumns(peopleColumns('full'));
  return server;
}

/** Loads a step over HTTP and checks the number of entities. */
export async function grow(
  bench: Bench,
  server: QuarryServer,
  { bodies, from, expected }: Step,
): Promise<Grown> {
  const cpuBefore = server.cpuSeconds();
  const [connections] = bench.scale.connections;
  const target = server.target('/v1/insert', false);
  const load = await spawnLoad({ target, connections, bodies: { kind: 'file', file: bodies } });
  bench.checked(load.requests);
  const entityCount = expected.entityCount - from;
  const cpuSecondsPerMillion = ((server.cpuSeconds() - cpuBefore) / entityCount) * 1e6;
  bench.check('entities after the load', await server.countAll(), expected.entityCount);
  return { entitiesPerSecond: load.entitiesPerSecond, cpuSecondsPerMillion };
}

/** A database that answers every variant of every question, once. */
export interface Answering {
  readonly countAll: () => Promise<number>;
  readonly count: (variant: Question['variants'][number]) => Promise<number>;
}

export const answersOf = (server: QuarryServer): Answering => ({
  countAll: () => server.countAll(),
  count: ({ body }) => server.count(body),
});

export const answersOfPeer = (peer: PeerProcess): Answering => ({
  countAll: () => peer.query('SELECT count(*) FROM people'),
  count: ({ sql }) => peer.query(sql),
});

export async function checkAnswers(bench: Bench, answering: Answering, expected: Expected): Promise<void> {
  bench.check('entities', await answering.countAll(), expected.entityCount);
  for (const { name, variants } of QUESTIONS) {
    const found: number[] = [];
    for (const variant of variants) found.push(await answering.count(variant));
    bench.check(name, found, expected.answers.get(name));
  }
}

/** Measures `times` counts over one HTTPS connection, after as many untimed ones; checks every answer. */
export async function timeQuestion(
  bench: Bench,
  server: QuarryServer,
  { name, variants }: Question,
  variant: number,
  expected: Expected,
): Promise<LoadResult> {
  const answer = expected.answers.get(name)?.[variant];
  return timeRequests(bench, server, '/v1/query/count/entity', variants[variant].body, `"q":${answer}}`);
}

/** The minimum time of a request to all workers: nothing is scanned. */
export function timeRoundTrip(
  bench: Bench,
  server: QuarryServer,
  { entityCount }: Expected,
): Promise<LoadResult> {
  return timeRequests(bench, server, '/v1/query/count/entity/total', '{}', `"total":${entityCount}}`);
}

async function timeRequests(
  bench: Bench,
  server: QuarryServer,
  path: string,
  body: string,
  expected: string,
): Promise<LoadResult> {
  const { countsPerRound } = bench.scale;
  const run = () =>
    runLoad(
      server.target(path, true),
      repeatBody(Buffer.from(body), countsPerRound),
      1,
      checkHolds(expected),
    );
  await run();
  const result = await run();
  bench.checked(2 * countsPerRound);
  return result;
}
