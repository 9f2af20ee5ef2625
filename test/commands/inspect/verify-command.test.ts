/** A directory that is not a store is never reported as sound; test/crash tests the check of a store. */
import fs from 'node:fs';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import t from 'tap';
import { EXIT } from '../../../src/commands/command.js';
import { verifyCommand } from '../../../src/commands/inspect/verify-command.js';
import { writeStore } from '../../inspect/store.js';

interface Verified {
  readonly code: number;
  readonly out: string;
}

async function verify(...argv: string[]): Promise<Verified> {
  let out = '';
  const code = await verifyCommand(argv, {
    out: (text) => {
      out += text;
    },
    usage: (text) => {
      throw new Error(`usage: ${text}`);
    },
    stderr: new PassThrough(),
  });
  return { code, out };
}

t.test('a store is sound or damaged; a folder without a store is refused and left unchanged', async (t) => {
  const store = await writeStore(t);
  t.match(await verify(store), { code: EXIT.done, out: /sound\n$/ });
  const empty = path.join(t.testdir({ empty: {} }), 'empty');
  for (const [dir, why] of [
    [path.join(empty, 'nosuch'), 'does not exist'],
    [empty, 'is empty'],
    [path.dirname(empty), 'holds no manifest'],
    [path.join(store, 'log'), 'holds no manifest'],
  ]) {
    const before = fs.existsSync(dir) ? fs.readdirSync(dir) : null;
    await t.rejects(verify(dir), { message: `${dir} is neither a store nor a backup: it ${why}` });
    t.strictSame(fs.existsSync(dir) ? fs.readdirSync(dir) : null, before);
  }
  await t.rejects(verify(), { message: 'usage: verify takes one argument, the data directory' });
  fs.truncateSync(path.join(store, 'manifest'), 10);
  t.match(await verify(store), { code: EXIT.corrupt, out: /manifest.*\n1 faults\n$/ });
});
