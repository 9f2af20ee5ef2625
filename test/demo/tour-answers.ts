/** Compares the demo's answers with those of DuckDB. */
import type { Test } from 'tap';
import type { Answer, Answered } from '../../src/commands/demo/demo.js';
import { questionsOf } from '../../src/commands/demo/questions.js';
import { queryDuckDb } from './oracle.js';

/** Rounds fractions to nine digits, because both sides round their results. */
const rounded = (answer: Answer | undefined): unknown =>
  JSON.parse(
    JSON.stringify(answer ?? null, (_name, value) =>
      typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(9)) : value,
    ),
  );

/** Whether no part of the answer is 0, null or empty. */
function saysSomething(answer: Answer): boolean {
  if (typeof answer !== 'object' || answer === null) return answer !== 0 && answer !== null && answer !== '';
  const parts: readonly Answer[] = Object.values(answer);
  return parts.length > 0 && parts.every(saysSomething);
}

/** Every question was printed, and its answer equals that of DuckDB over the same files. `small`: 20,000 flights. */
export async function assertAnswers(
  t: Test,
  answers: readonly Answered[],
  printed: string,
  small: boolean,
): Promise<void> {
  const questions = questionsOf(small);
  const expected = await queryDuckDb(small);
  t.strictSame(
    [...expected.keys()].sort(),
    questions.map(({ name }) => name).sort(),
    'the oracle has an answer to every question',
  );
  for (const { question, answer } of answers) {
    t.strictSame(rounded(answer), rounded(expected.get(question.name)), question.text);
    t.ok(printed.includes(question.text), question.text);
    // All flights are of 2001, so this answer is 0.
    if (question.name !== 'today') t.ok(saysSomething(answer), `${question.text} has an answer`);
  }
  t.equal(answers.length, questions.length);
}
