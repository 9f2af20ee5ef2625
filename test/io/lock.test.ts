import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import t from 'tap';
import { lockDirectory } from '../../src/io/index.js';
import { lockFile } from '../../src/io/lock.js';

/** Another process that takes the lock, reports it, and then stays idle. */
async function holder(dir: string, platform: NodeJS.Platform): Promise<ChildProcess> {
  const module = new URL('../../src/io/index.js', import.meta.url).href;
  const script = `
    import { lockDirectory } from ${JSON.stringify(module)};
    await lockDirectory(${JSON.stringify(dir)}, ${JSON.stringify(platform)});
    console.log('locked');
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout as NodeJS.ReadableStream, 'data');
  return child;
}

for (const platform of ['linux', 'darwin'] as const) {
  t.test(
    `(${platform}) a second process gets an error that names the owner of the directory, until it is released`,
    async (t) => {
      const dir = t.testdir();
      const lock = await lockDirectory(dir, platform);
      t.equal(fs.readFileSync(path.join(dir, 'quarry.pid'), 'utf8'), `${process.pid}\n`);
      await t.rejects(lockDirectory(dir, platform), {
        message: new RegExp(`in use by the process with pid ${process.pid};`),
      });
      await lock.release();
      await lock.release();
      t.equal(fs.existsSync(path.join(dir, 'quarry.pid')), false);
      const again = await lockDirectory(dir, platform);
      await again.release();
    },
  );

  t.test(
    `(${platform}) the lock of a killed process is free at once, regardless of leftover files`,
    async (t) => {
      const dir = t.testdir();
      const child = await holder(dir, platform);
      await t.rejects(lockDirectory(dir, platform), { message: new RegExp(`pid ${child.pid};`) });
      child.kill('SIGKILL');
      await once(child, 'exit');
      t.equal(
        fs.readFileSync(path.join(dir, 'quarry.pid'), 'utf8'),
        `${child.pid}\n`,
        'a stale pid file exists',
      );
      const lock = await lockDirectory(dir, platform);
      await lock.release();
    },
  );
}

t.test(
  'a directory is the same directory by any path to it',
  { skip: process.platform !== 'linux' },
  async (t) => {
    const dir = t.testdir({ store: {}, link: t.fixture('symlink', 'store') });
    const lock = await lockDirectory(path.join(dir, 'store'));
    await t.rejects(lockDirectory(path.join(dir, 'link')), /in use/);
    await lock.release();
  },
);

t.test('connections to the lock are closed, and an unreadable pid file is ignored', async (t) => {
  const dir = t.testdir();
  const lock = await lockDirectory(dir, 'darwin');
  const { dev, ino } = fs.statSync(dir, { bigint: true });
  const socket = net.connect(lockFile(dev, ino));
  await once(socket, 'close');
  fs.writeFileSync(path.join(dir, 'quarry.pid'), 'nonsense');
  await t.rejects(lockDirectory(dir, 'darwin'), /in use by another process/);
  await lock.release();
});

t.test('an absent directory has a separate error', async (t) => {
  await t.rejects(lockDirectory(path.join(t.testdir(), 'absent')), { code: 'ENOENT' });
});
