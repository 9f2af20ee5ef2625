import { PassThrough } from 'node:stream';
import t from 'tap';
import { runDemo } from '../../src/commands/demo/demo.js';
import { NodeFileSystem } from '../../src/io/index.js';
import { startServer } from './server.js';
import { assertAnswers } from './tour-answers.js';

t.setTimeout(180_000);

const FLIGHTS = 20_000;

/** test/binary/console.test.ts tests all 3 million flights. */
t.test(
  `every answer of the demo over ${FLIGHTS} flights equals that of DuckDB over the same files`,
  async (t) => {
    const server = await startServer('--workers', '2');
    try {
      const out = new PassThrough();
      const parts: string[] = [];
      out.on('data', (part) => parts.push(String(part)));
      const files = new NodeFileSystem();
      const report = await runDemo({ server, files, out, elapsedMs: () => performance.now(), small: true });
      t.equal(report.flights.rowCount, FLIGHTS);
      await assertAnswers(t, report.answers, parts.join(''), true);
    } finally {
      await server.stop();
    }
  },
);
