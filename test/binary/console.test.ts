/** The demo of the single executable over all flights: its answers and its console. */
import { execFile, spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { promisify } from 'node:util';
import t from 'tap';
import { questionsOf } from '../../src/commands/demo/questions.js';
import { runTour } from '../../src/commands/demo/tour.js';
import { RemoteClient } from '../../src/commands/remote/client.js';
import { type Serve, type Served, visitors } from '../console/browser.js';
import { newcomer } from '../console/visits.js';
import { assertAnswers } from '../demo/tour-answers.js';
import { ROOT } from '../tidy/source.js';

t.setTimeout(380_000);

/** The last output of the demo: the address of the server, and the file of its keys. */
const RUNNING_AT = /The server keeps running at (https:\S+); its keys are in (\S+)keys\.json\./;

let printed = '';

/** Starts the demo of the executable without environment variables. */
const startDemo: Serve = async (dir) => {
  await promisify(execFile)(process.execPath, [path.join(ROOT, 'src/tools/binary/build.mjs')], { cwd: ROOT });
  const flags = ['demo', '--https-port', '0', '--http-port', '0'];
  const env = { TMPDIR: dir, QUARRY_CACHE_DIR: path.join(dir, 'cache') };
  const demo = spawn(path.join(ROOT, 'dist/binary/quarry'), flags, {
    ...{ cwd: dir, env, stdio: ['ignore', 'pipe', 'pipe'] },
  });
  const ended = new Promise<void>((resolve) => demo.on('close', () => resolve()));
  t.teardown(() => {
    demo.kill('SIGTERM');
    return ended;
  });
  const [, url, dataDir] = await new Promise<readonly string[]>((resolve, reject) => {
    for (const stream of [demo.stdout, demo.stderr]) {
      stream.on('data', (part: Buffer) => {
        printed += part.toString();
        const found = RUNNING_AT.exec(printed);
        if (found !== null) resolve(found);
      });
    }
    demo.on('error', reject);
    ended.then(() => reject(new Error(`the demo ended; it wrote:\n${printed}`)));
  });
  const certificate = fs.readFileSync(`${dataDir}tls/cert.pem`, 'utf8');
  const { 'team-key': team, database } = JSON.parse(fs.readFileSync(`${dataDir}keys.json`, 'utf8'));
  const { 'master-key': master, 'write-key': write, 'read-key': read } = database;
  return { url, certificate, keys: { team, master, write, read } };
};

let served: Promise<Served> | null = null;
const serveDemo: Serve = (dir) => {
  served ??= startDemo(dir);
  return served;
};

const browse = await visitors(serveDemo);

t.test(
  'every answer of the demo over 3 million flights equals that of DuckDB over the same files',
  async (t) => {
    const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'quarry-demo-'));
    t.teardown(() => fs.rmSync(dir, { recursive: true, force: true }));
    const { url, certificate, keys } = await serveDemo(dir);
    t.match(printed, '3,000,000 flights in');
    const client = new RemoteClient({ url, certificate }, 1);
    t.teardown(() => client.close());
    // Deletes the query that the demo saved, because the tour saves it again.
    const questions = questionsOf(false);
    for (const { before, path } of questions) {
      if (before !== undefined) await client.json({ method: 'DELETE', path, key: keys.master });
    }
    const tourKeys = { masterKey: keys.master, readKey: keys.read };
    const out = new PassThrough().resume();
    const answers = await runTour(questions, client, tourKeys, out, () => performance.now());
    await assertAnswers(t, answers, printed, false);
  },
);

browse(
  'a newcomer finds how many of 3 million flights left each state over two hours late in March',
  newcomer(false),
);
