import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import t, { type Test } from 'tap';
import { JsonClient } from '../../support/json-client.js';
import { runCommand, ServerProcess } from '../../support/server-process.js';
import { COMMANDS, copyStore, everythingBelow, makeStore, NEWER, refusalFault } from './directories.js';

t.setTimeout(290_000);

const IS_ROOT = process.getuid?.() === 0;
const NO_ROOT = IS_ROOT ? false : 'only root can run a server as another user or mount a disk';
const ALL = Object.keys(COMMANDS);
const SOMEBODY = 65_534;
const OWNER = 12_345;

interface Expected {
  readonly code: number;
  readonly text: RegExp;
}

const rootDir = fs.mkdtempSync(path.join(os.tmpdir(), 'quarry-directories-'));
fs.chmodSync(rootDir, 0o755);
t.teardown(() => fs.rmSync(rootDir, { recursive: true, force: true }));
const good = path.join(rootDir, 'good');
await makeStore(good, async (server) => new JsonClient(await server.serving, server.keys().master));
copyStore(good, `${good}-clean`);

let count = 0;
function newStore(): string {
  const dir = path.join(rootDir, `store-${count++}`);
  copyStore(`${good}-clean`, dir);
  return dir;
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
const naming = (file: string, why: string): RegExp =>
  new RegExp(`${escaped(file)}.*${why}|${why}.*${escaped(file)}`);

/** Every command on `dir` ends as expected and changes nothing below `watched`. */
async function endAsExpected(
  t: Test,
  dir: string,
  expected: Expected,
  {
    uid = null,
    watched = dir,
    others = {},
    commands = ['serve', 'verify', 'keys create'],
  }: {
    uid?: number | null;
    watched?: string;
    others?: Readonly<Record<string, Expected>>;
    commands?: readonly string[];
  } = {},
): Promise<void> {
  const before = everythingBelow(watched);
  for (const name of commands) {
    const result = await runCommand(COMMANDS[name](dir), {}, uid);
    t.equal(refusalFault(result, others[name] ?? expected), null, name);
    t.strictSame(everythingBelow(watched), before, `${name}: nothing was touched`);
  }
}

t.test('a directory that another process has open is refused', async (t) => {
  const dir = newStore();
  const server = new ServerProcess({ dir });
  t.teardown(() => server.kill());
  await server.serving;
  const before = everythingBelow(dir, false);
  for (const name of ['serve', 'verify']) {
    const expected = { code: 1, text: naming(dir, 'in use by the process with pid \\d+') };
    t.equal(refusalFault(await runCommand(COMMANDS[name](dir)), expected), null, name);
    t.strictSame(everythingBelow(dir, false), before, `${name}: nothing was touched`);
  }
  t.equal(await server.end(), 0);
});

for (const [what, raise] of Object.entries(NEWER)) {
  t.test(`with ${what} of a newer format the store is refused by every command`, async (t) => {
    const dir = newStore();
    const file = raise(dir);
    const commands = what === 'the manifest' ? ALL : ['serve', 'verify', 'keys create'];
    await endAsExpected(
      t,
      dir,
      { code: 3, text: naming(file, 'version \\d+; .*newer release') },
      { commands },
    );
  });
}

t.test('the server neither reads nor changes an existing keys.json', async (t) => {
  const dir = newStore();
  const file = path.join(dir, 'keys.json');
  fs.writeFileSync(file, '{"version": 99}');
  const { code } = await runCommand(COMMANDS.serve(dir));
  t.equal(code, 0);
  t.equal(fs.readFileSync(file, 'utf8'), '{"version": 99}');
});

t.test('a file in place of a folder is refused by name', async (t) => {
  const file = path.join(rootDir, 'file');
  fs.writeFileSync(file, 'not yours');
  const refused = { code: 1, text: naming(file, '(EEXIST|ENOTDIR|not a directory|no store)') };
  await endAsExpected(t, file, refused);
  const below = path.join(file, 'below');
  await endAsExpected(t, below, { code: 1, text: naming(file, '.') }, { watched: file });
});

for (const name of ['log', 'spool', 'tls']) {
  t.test(`a store whose ${name} is a file is refused by name`, async (t) => {
    const dir = newStore();
    const file = path.join(dir, name);
    fs.rmSync(file, { recursive: true, force: true });
    fs.writeFileSync(file, 'not a folder');
    const before = everythingBelow(dir);
    const expected = { code: 1, text: naming(file, '(EEXIST|ENOTDIR)') };
    t.equal(refusalFault(await runCommand(COMMANDS.serve(dir)), expected), null);
    t.strictSame(everythingBelow(dir), before);
  });
}

t.test('a link is treated as its target; a dangling or circular link is refused by name', async (t) => {
  const dir = newStore();
  const link = path.join(rootDir, 'link');
  fs.symlinkSync(dir, link);
  t.match(await runCommand(COMMANDS.verify(link)), { code: 0, output: /sound\n$/ });
  t.match(await runCommand(COMMANDS.serve(link)), { code: 0 });
  t.equal(fs.readlinkSync(link), dir);
  const nowhere = path.join(rootDir, 'nowhere');
  const refused = { code: 1, text: naming(nowhere, '(ENOENT|EEXIST|does not exist|leads nowhere)') };
  fs.symlinkSync(path.join(rootDir, 'no-such-folder'), nowhere);
  await endAsExpected(t, nowhere, refused);
  const circle = path.join(rootDir, 'circle');
  fs.symlinkSync(circle, circle);
  await endAsExpected(t, circle, { code: 1, text: naming(circle, 'ELOOP') });
});

t.test(
  'a directory of another user is refused, also to root, and not written',
  { skip: NO_ROOT },
  async (t) => {
    const dir = newStore();
    execFileSync('chown', ['-R', `${OWNER}:${OWNER}`, dir]);
    const refused = { code: 1, text: naming(dir, '(belongs to another user|EACCES)') };
    const sound = { verify: { code: 0, text: /sound\n$/ } };
    for (const uid of [SOMEBODY, null]) {
      t.comment(uid === null ? 'root' : `user ${uid}`);
      await endAsExpected(t, dir, refused, {
        uid,
        others: sound,
        ...(uid === null ? { commands: ALL } : {}),
      });
    }
    fs.writeFileSync(path.join(dir, 'quarry.pid'), '1\n');
    fs.chownSync(path.join(dir, 'quarry.pid'), OWNER, OWNER);
    t.match(
      await runCommand(COMMANDS.verify(dir), {}, SOMEBODY),
      { code: 0, output: /sound\n$/ },
      'with a leftover pid file',
    );
    fs.chmodSync(dir, 0o700);
    await endAsExpected(t, dir, refused, { uid: SOMEBODY });
  },
);

t.test(
  'a directory that its own user may not write is refused, and not written',
  { skip: NO_ROOT },
  async (t) => {
    const dir = newStore();
    execFileSync('chown', ['-R', `${SOMEBODY}:${SOMEBODY}`, dir]);
    execFileSync('chmod', ['-R', 'a-w', dir]);
    const refused = { code: 1, text: naming(dir, 'EACCES') };
    await endAsExpected(t, dir, refused, {
      uid: SOMEBODY,
      others: { verify: { code: 0, text: /sound\n$/ } },
    });
  },
);

t.test(
  'a store on a read-only disk can be checked, and all other commands are refused',
  { skip: NO_ROOT },
  async (t) => {
    const disk = path.join(rootDir, 'disk');
    fs.mkdirSync(disk);
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=256m', 'tmpfs', disk], { stdio: 'pipe' });
    } catch (error) {
      t.comment(`skipped: this machine does not let root mount a disk: ${String(error)}`);
      return;
    }
    t.teardown(() => execFileSync('umount', [disk]));
    const dir = path.join(disk, 'store');
    copyStore(`${good}-clean`, dir);
    fs.writeFileSync(path.join(dir, 'quarry.pid'), '1\n');
    fs.mkdirSync(path.join(disk, 'empty'));
    execFileSync('mount', ['-o', 'remount,ro', disk]);
    const refused = { code: 1, text: naming(dir, 'EROFS') };
    await endAsExpected(t, dir, refused, { others: { verify: { code: 0, text: /sound\n$/ } } });
    const empty = path.join(disk, 'empty');
    const expected = { code: 1, text: naming(empty, 'EROFS') };
    t.equal(refusalFault(await runCommand(COMMANDS.serve(empty)), expected), null, 'an empty folder there');
  },
);
