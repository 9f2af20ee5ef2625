/** The demo's answers beside those of DuckDB. */
import type { Test } from 'tap';
import { QUESTIONS } from '../../src/commands/demo/questions.js';
import type { Answer, Answered } from '../../src/commands/demo.js';
import { askDuckDb } from './oracle.js';

/** Fractions to nine digits: both sides round what they work out. */
const rounded = (answer: Answer | undefined): unknown =>
  JSON.parse(
    JSON.stringify(answer ?? null, (_name, value) =>
      typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(9)) : value,
    ),
  );

/** Every question has an answer, that of DuckDB over the same files, and was printed. `small`: over the 20,000 flights. */
export async function assertAnswers(
  t: Test,
  answers: readonly Answered[],
  printed: string,
  small: boolean,
): Promise<void> {
  const expected = await askDuckDb(small);
  t.strictSame(
    [...expected.keys()].sort(),
    QUESTIONS.map(({ name }) => name).sort(),
    'the oracle knows every question',
  );
  for (const { question, answer } of answers) {
    t.strictSame(rounded(answer), rounded(expected.get(question.name)), question.text);
    t.match(printed, question.text);
  }
  t.equal(answers.length, QUESTIONS.length);
}
