/** Compares the answers of servers with 1, 2, 5 and 7 shards to generated questions with those of the models. */
import t from 'tap';
import { Prng } from '../../src/base/index.js';
import { generateHistory } from './histories.js';
import type { Kind } from './model/answer.js';
import { generateQuestion } from './questions.js';
import { BehaviourServer, differenceFrom } from './server.js';

const SEED = Number(process.env.QUARRY_SEED ?? Date.now() % 1_000_000);
const QUESTIONS = Number(process.env.QUARRY_TEST_ROUNDS ?? 300);
const SHARDS = [1, 2, 5, 7];
/** Histories in one server. */
const WORLDS = 2;
const SHOWN = 3;

/** A test of so many questions of the kind, in equal parts on each number of shards. */
export function compareKind(kind: Kind): void {
  t.comment(`seed ${SEED}, ${QUESTIONS} questions`);
  t.setTimeout(120_000 + QUESTIONS * 100);
  const prng = new Prng(SEED);
  for (const shards of SHARDS) {
    t.test(`${kind} on ${shards} shards`, async (t) => {
      const worlds = Array.from({ length: WORLDS }, (_, index) => generateHistory(prng, `h${index}`));
      const server = await BehaviourServer.start(t, shards, worlds);
      const wrong: string[] = [];
      const ofWorld = Math.ceil(QUESTIONS / SHARDS.length / WORLDS);
      for (const world of worlds) {
        const questions = Array.from({ length: ofWorld }, () => generateQuestion(kind, prng, world));
        const answers = await server.answers(kind, questions);
        questions.forEach((question, index) => {
          const difference = differenceFrom(kind, question, world, answers[index]);
          if (difference !== null) wrong.push(`${world.hasTiedDates ? 'tied dates, ' : ''}${difference}`);
        });
      }
      t.strictSame(wrong.slice(0, SHOWN), [], `${wrong.length} differ`);
    });
  }
}
