/**
 * npm run questions -- --count 100000 --seed 1: compares the answers of servers to so many generated questions about behaviour, of
 * all kinds in turn, with those of the models. Each server has two generated histories, 1, 2, 5 or 7 shards, and answers
 * 1,100 questions.
 * Exit code 0: no answer differs; 1: one differs, and the questions are shown; 2: wrong arguments.
 */
import { parseArgs } from 'node:util';
import { Prng } from '../../src/base/index.js';
import { BEHAVIOUR_KINDS } from '../../src/interface/index.js';
import { generateHistory } from './histories.js';
import { generateQuestion } from './questions.js';
import { BehaviourServer, differenceFrom } from './server.js';

const SHARDS = [1, 2, 5, 7];
const WORLDS = 2;
/** Questions of each kind over one history. */
const QUESTIONS = 50;

const { values } = parseArgs({ options: { count: { type: 'string' }, seed: { type: 'string' } } });
const [total, seed] = [Number(values.count ?? 100_000), Number(values.seed ?? Date.now() % 1_000_000)];
if (!Number.isSafeInteger(total) || !Number.isSafeInteger(seed) || total < 1 || seed < 0) {
  process.stderr.write('--count and --seed are whole numbers\n');
  process.exit(2);
}
const prng = new Prng(seed);
const write = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

/** The number of questions about two new histories, and the differences found. */
async function round(shards: number): Promise<{ readonly count: number; readonly wrong: readonly string[] }> {
  const ends: (() => unknown)[] = [];
  const worlds = Array.from({ length: WORLDS }, (_, index) => generateHistory(prng, `h${index}`));
  const server = await BehaviourServer.start({ teardown: (end) => ends.push(end) }, shards, worlds);
  const wrong: string[] = [];
  let count = 0;
  try {
    for (const world of worlds) {
      for (const kind of BEHAVIOUR_KINDS) {
        const questions = Array.from({ length: QUESTIONS }, () => generateQuestion(kind, prng, world));
        const answers = await server.answers(kind, questions);
        count += questions.length;
        wrong.push(
          ...questions.flatMap(
            (question, index) => differenceFrom(kind, question, world, answers[index]) ?? [],
          ),
        );
      }
    }
  } finally {
    for (const end of ends) await end();
  }
  return { count, wrong };
}

write(`seed ${seed}, ${total} questions`);
let [count, differences, nextShown] = [0, 0, 0];
for (let rounds = 0; count < total; rounds++) {
  const shards = SHARDS[rounds % SHARDS.length];
  const done = await round(shards);
  count += done.count;
  differences += done.wrong.length;
  for (const text of done.wrong) write(`${shards} shards: ${text}`);
  if (count < nextShown) continue;
  write(`${count} questions, ${differences} answers differ`);
  nextShown = count + total / 20;
}
write(`seed ${seed}: ${count} questions of ${BEHAVIOUR_KINDS.length} kinds, ${differences} answers differ`);
process.exit(differences === 0 ? 0 : 1);
