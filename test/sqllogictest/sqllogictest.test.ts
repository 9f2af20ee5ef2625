/**
 * Scripts of SELECTs over single and joined tables in the format of sqllogictest: the files of cases/, whose values DuckDB and
 * SQLite confirm, and generated ones. At least ANSWERED_MIN of the queries are answered, and none is answered wrongly.
 *
 *   npm run sqllogictest -- --queries 100000 --seed 1       generated queries
 *   npm run sqllogictest -- FILE...                         scripts of others
 */
import fs from 'node:fs';
import { parseArgs } from 'node:util';
import t, { type Test } from 'tap';
import { Prng } from '../../src/base/index.js';
import { startPostgres } from '../pg/site.js';
import { generateScript } from './generate.js';
import { DuckEngine, SqliteEngine } from './judges.js';
import { HttpEngine, PortEngine } from './quarry-engine.js';
import { type Engine, newReport, type Report, runScript } from './run.js';
import { readScript, type ScriptRecord, scriptText } from './script.js';

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    queries: { type: 'string', default: '400' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    /** Prints all refusals. */
    verbose: { type: 'boolean', default: false },
  },
});
const [QUERIES, SEED] = [Number(options.queries), Number(options.seed)];
const CASES = new URL('../../../test/sqllogictest/cases/', import.meta.url);
const QUERIES_PER_SCRIPT = 200;
const ANSWERED_MIN = 0.95;
const SHOWN = 10;
t.setTimeout(200_000 + QUERIES * 60);

interface Script {
  readonly name: string;
  readonly records: readonly ScriptRecord[];
}

function scriptsIn(files: readonly (string | URL)[]): readonly Script[] {
  return files.map((file) => ({ name: String(file), records: readScript(fs.readFileSync(file, 'utf8')) }));
}

const ownScripts = (): readonly Script[] =>
  scriptsIn(fs.readdirSync(CASES).map((file) => new URL(file, CASES)));

async function reportOf(engine: Engine, scripts: readonly Script[]): Promise<Report> {
  const report = newReport();
  for (const { records } of scripts) {
    await runScript(engine, records, report);
    await engine.reset();
  }
  return report;
}

function shown(findings: Report['wrong']): readonly string[] {
  const limit = options.verbose ? findings.length : SHOWN;
  return findings.slice(0, limit).map(({ line, sql, what }) => `line ${line}: ${sql}\n  ${what}`);
}

function judge(t: Test, engine: Engine, { answered, wrong, refused, skipped }: Report): void {
  const all = answered + wrong.length + refused.length;
  t.comment(
    `${engine.names.at(-1)}: ${answered} answered, ${wrong.length} wrong, ${refused.length} refused, ${skipped} skipped`,
  );
  for (const text of shown(refused)) t.comment(`refused: ${text}`);
  t.strictSame(shown(wrong), [], `${wrong.length} of ${all} are wrong`);
  t.ok(all > 0 && answered >= all * ANSWERED_MIN, `${answered} of ${all} are answered`);
}

t.test('scripts over the Postgres port and over HTTP', async (t) => {
  const fixture = await startPostgres(t);
  const port = new PortEngine(fixture.https, await fixture.connect());
  const http = new HttpEngine(fixture.https);

  if (positionals.length > 0) {
    judge(t, port, await reportOf(port, scriptsIn(positionals)));
    return;
  }

  t.test('the files of cases hold on DuckDB, on SQLite and on Quarry', async (t) => {
    const [duck, sqlite] = [await DuckEngine.open(), await SqliteEngine.open()];
    const scripts = ownScripts();
    for (const engine of [duck, sqlite]) {
      const { wrong, refused } = await reportOf(engine, scripts);
      t.strictSame(shown([...wrong, ...refused]), [], `${engine.names[0]} confirms the expected values`);
      await engine.close();
    }
    for (const engine of [port, http]) judge(t, engine, await reportOf(engine, scripts));
  });

  t.test('generated scripts', async (t) => {
    t.comment(`seed ${SEED}, ${QUERIES} queries`);
    const judges = [await DuckEngine.open(), await SqliteEngine.open()];
    const reports = [port, http].map((engine) => ({ engine, report: newReport() }));
    let [disputed, unjudged] = [0, 0];
    for (let from = 0; from < QUERIES; from += QUERIES_PER_SCRIPT) {
      const count = Math.min(QUERIES_PER_SCRIPT, QUERIES - from);
      const script = await generateScript(new Prng(SEED * 100_000 + from), count, judges);
      disputed += script.disputedCount;
      unjudged += script.unjudgedCount;
      const records = readScript(scriptText(script.records));
      for (const { engine, report } of reports) {
        await runScript(engine, records, report);
        await engine.reset();
      }
    }
    t.comment(`the judges differ on ${disputed} and refuse ${unjudged}`);
    t.ok(disputed + unjudged < QUERIES * 0.3, 'the judges decide most queries');
    for (const { engine, report } of reports) judge(t, engine, report);
    for (const engine of judges) await engine.close();
  });
});
