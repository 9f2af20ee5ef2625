/** The console of the single executable over all flights, as somebody finds it who has just started the demo. */
import { execFile, spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import t from 'tap';
import { PHONE, type Serve, visitors, WIDE } from '../console/browser.js';
import { byKeyboard, newcomer, wholeVisit } from '../console/visits.js';
import { ROOT } from '../tidy/source.js';

t.setTimeout(280_000);

/** What the demo says at its end: where the server is, and where its keys are. */
const GOES_ON = /The server goes on at (https:\S+); its keys are in (\S+)keys\.json\./;

/** The executable's demo, with nothing else in its environment. */
const serveDemo: Serve = async (dir) => {
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
  let output = '';
  const [, url, dataDir] = await new Promise<readonly string[]>((resolve, reject) => {
    for (const stream of [demo.stdout, demo.stderr]) {
      stream.on('data', (part: Buffer) => {
        output += part.toString();
        const found = GOES_ON.exec(output);
        if (found !== null) resolve(found);
      });
    }
    demo.on('error', reject);
    ended.then(() => reject(new Error(`the demo ended; it wrote:\n${output}`)));
  });
  const certificate = fs.readFileSync(`${dataDir}tls/cert.pem`, 'utf8');
  const { 'team-key': team, database } = JSON.parse(fs.readFileSync(`${dataDir}keys.json`, 'utf8'));
  const { 'master-key': master, 'write-key': write, 'read-key': read } = database;
  return { url, certificate, keys: { team, master, write, read } };
};

const browse = await visitors(serveDemo);

browse(
  'a newcomer finds how many of 3 million flights left each state over two hours late in March',
  newcomer(false),
);

for (const [name, viewport] of Object.entries({ wide: WIDE, 'phone-sized': PHONE })) {
  browse(
    `in a ${name} window a segment, a histogram, a map, a saved query and a key are made`,
    wholeVisit,
    viewport,
  );
  browse(`in a ${name} window all of it is done by keyboard alone`, byKeyboard, viewport);
}
