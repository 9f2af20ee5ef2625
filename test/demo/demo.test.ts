import { PassThrough } from 'node:stream';
import t from 'tap';
import { QUESTIONS } from '../../src/commands/demo/questions.js';
import { type Answer, type DemoReport, runDemo } from '../../src/commands/demo.js';
import { NodeFileSystem } from '../../src/io/index.js';
import { askDuckDb } from './oracle.js';
import { startServer } from './server.js';

t.setTimeout(180_000);

/** Runs the whole demo against a server of its own; gives the report and all that was printed. */
async function demo(small: boolean): Promise<{ report: DemoReport; printed: string }> {
  const server = await startServer('--workers', '2');
  try {
    const out = new PassThrough();
    const parts: string[] = [];
    out.on('data', (part) => parts.push(String(part)));
    const files = new NodeFileSystem();
    const report = await runDemo({ server, files, out, elapsedMs: () => performance.now(), small });
    return { report, printed: parts.join('') };
  } finally {
    await server.stop();
  }
}

/** Fractions to nine digits: both sides round what they work out. */
const rounded = (answer: Answer | undefined): unknown =>
  JSON.parse(
    JSON.stringify(answer ?? null, (_name, value) =>
      typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(9)) : value,
    ),
  );

for (const small of [true, false]) {
  const flightCount = small ? 20_000 : 3_000_000;
  t.test(
    `every answer of the demo over ${flightCount} flights is that of DuckDB over the same files`,
    async (t) => {
      const { report, printed } = await demo(small);
      t.equal(report.flights.rowCount, flightCount);
      const expected = await askDuckDb(small);
      t.strictSame(
        [...expected.keys()].sort(),
        QUESTIONS.map(({ name }) => name).sort(),
        'the oracle knows every question',
      );
      for (const { question, answer } of report.answers) {
        t.strictSame(rounded(answer), rounded(expected.get(question.name)), question.text);
        t.match(printed, question.text);
      }
      t.equal(report.answers.length, QUESTIONS.length);
    },
  );
}
