/** The output for intact and damaged files of a store: no stack is printed, and no file is changed. */
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import t from 'tap';
import { Prng } from '../../../src/base/index.js';
import { inspectCommand, readInspectLine } from '../../../src/commands/inspect/inspect-command.js';
import { makeDir } from '../../engine/store.js';
import { writeStore } from '../../inspect/store.js';
import { runCommand } from '../../support/server-process.js';

const SEED = 4_401;
t.comment(`seed ${SEED}`);

interface Printed {
  readonly code: number;
  readonly out: string;
  readonly notes: string;
}

async function inspect(...argv: string[]): Promise<Printed> {
  let [out, notes] = ['', ''];
  const code = await inspectCommand(argv, {
    out: (text) => {
      out += text;
    },
    note: (text) => {
      notes += `${text}\n`;
    },
    usage: (text) => {
      throw new Error(text);
    },
  });
  return { code, out, notes };
}

/** Every file below, with the hash of its content. */
function contentOf(dir: string): string[] {
  return fs
    .readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .map((file) => `${file} ${createHash('sha256').update(fs.readFileSync(file)).digest('hex')}`)
    .sort();
}

const filesOf = (dir: string, pattern: RegExp): string[] =>
  contentOf(dir)
    .map((line) => line.split(' ')[0])
    .filter((file) => pattern.test(file));

t.test('arguments and flags choose the output', (t) => {
  const base = {
    paths: [path.resolve('a')],
    records: false,
    range: { from: 0, to: 2 ** 53 - 1 },
    rows: 0,
    json: false,
  };
  t.strictSame(readInspectLine(['a']), base);
  t.strictSame(readInspectLine(['a', '/b', '--json', '--rows', '5']), {
    ...base,
    paths: [path.resolve('a'), '/b'],
    json: true,
    rows: 5,
  });
  for (const [lsn, from, to] of [
    ['7', 7, 7],
    ['7..9', 7, 9],
    ['7..', 7, 2 ** 53 - 1],
    ['..9', 0, 9],
  ] as const) {
    t.strictSame(readInspectLine(['a', '--lsn', lsn]), { ...base, records: true, range: { from, to } });
  }
  for (const wrong of [
    [],
    ['a', '--lsn', 'x'],
    ['a', '--lsn', '..'],
    ['a', '--lsn', '9..7'],
    ['a', '--rows', '-1'],
    ['a', '--force'],
  ]) {
    t.match(readInspectLine(wrong), { wrong: String }, wrong.join(' '));
  }
  t.end();
});

t.test('a store, its manifest, its log and its snapshot files are printed and not changed', async (t) => {
  const dir = await writeStore(t);
  const before = contentOf(dir);
  const [logFile] = filesOf(dir, /\.qlog$/);
  const [entities] = filesOf(dir, /entities-.*\.arrow$/);
  const store = await inspect(dir);
  t.match(store, { code: 0, notes: '', out: /checkpoint +at LSN 3, made 2020-01-01T12:00:00\.000Z/ });
  t.match(store.out, /log +4 records after it, .* last LSN 7/);
  t.match(store.out, /quarry +default +300 +600 +2 /);
  t.match(JSON.parse((await inspect(dir, '--json')).out), {
    checkpointLsn: 3,
    recordCount: 4,
    lastLsn: 7,
    tornTail: null,
  });

  t.match(await inspect(path.join(dir, 'manifest')), {
    code: 0,
    out: /checkpoint at LSN 3.*\nsnapshot\/d1-1\/entities/,
  });
  const manifest = await inspect(path.join(dir, 'manifest'), '--json');
  t.match(JSON.parse(manifest.out), {
    checkpointLsn: 3,
    catalog: { databases: [{ name: 'quarry' }], keys: [{ kind: 'team' }] },
  });
  t.notMatch(manifest.out, /"hash"/);

  t.match(await inspect(logFile), { code: 0, out: /format version 3.*\nfirst +LSN 1, .*\nlast +LSN 7/ });
  const lines = (await inspect(dir, '--lsn', '3..5')).out.trim().split('\n');
  t.match(lines, [/^LSN 3 .* insert .*300 entities, 2100 values/, /^LSN 4 /, /^LSN 5 .* update /]);
  const records = (await inspect(logFile, '--json')).out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  t.strictSame(
    records.map(({ lsn }) => lsn),
    [1, 2, 3, 4, 5, 6, 7],
  );
  t.match(records[2].batches[0].entities[0], {
    id: /^e\d{3}$/,
    columns: {
      2: '9007199254740993',
      3: 125,
      4: ['x', String],
      5: [{ value: Number }, { date: '2016-01-04T05:06:07Z', value: 7 }],
    },
  });

  const snapshot = await inspect(entities, '--rows', '2');
  t.match(snapshot, { code: 0, notes: '', out: /rows +300\n.*\nchecksum +holds\n/ });
  const rows = snapshot.out
    .trim()
    .split('\n')
    .slice(-2)
    .map((line) => JSON.parse(line));
  t.match(rows[0], { 'entity-id': /^e/, age: '9007199254740993', price: '1.25', tags: ['x', String] });
  t.match(await inspect(entities, '--json'), { code: 0, out: /"rowCount":300/ });
  t.strictSame(contentOf(dir), before);
});

t.test('other files are refused, and the rest is still printed', async (t) => {
  const dir = await writeStore(t);
  const other = path.join(dir, 'other.txt');
  fs.writeFileSync(other, 'text');
  const keys = path.join(dir, 'keys.json');
  const both = await inspect(keys, path.join(dir, 'manifest'), other, '/nowhere/at/all', makeDir(t));
  t.equal(both.code, 1);
  t.match(both.out, /checkpoint at LSN 3/);
  t.match(
    both.notes,
    /keys\.json holds keys in plain text and is not printed\n.*other\.txt is not a data directory/,
  );
  t.match(both.notes, /ENOENT/);
  t.match(both.notes, /holds neither a store nor log files/);
  t.notMatch(both.out, JSON.parse(fs.readFileSync(keys, 'utf8'))['team-key']);
  const moved = path.join(dir, 'moved.qlog');
  fs.copyFileSync(filesOf(dir, /log-.*\.qlog$/)[0], moved);
  t.match(await inspect(moved), {
    code: 1,
    notes: /begins with LSN 1, so its name must be log-0000000000000001\.qlog/,
  });
});

t.test(
  'every changed byte and every truncation is reported with file and offset, unless no record contains it',
  async (t) => {
    const dir = await writeStore(t);
    const prng = new Prng(SEED);
    const endings = new Map<string, number>();
    for (const file of filesOf(dir, /(manifest|\.qlog|\.arrow)$/)) {
      const whole = fs.readFileSync(file);
      const kind = path.extname(file) || 'manifest';
      // The space prepared for later records is far longer than the written records.
      const used = kind === '.qlog' ? whole.length - (whole.length - lastUsed(whole)) : whole.length;
      for (let round = 0; round < 24; round++) {
        const damaged = Buffer.from(whole);
        const cuts = round % 3 === 0;
        const at = prng.below(used);
        if (!cuts) damaged[at] ^= 1 << prng.below(8);
        fs.writeFileSync(file, cuts ? damaged.subarray(0, at) : damaged);
        for (const flags of [[], ['--json', '--rows', '400'], ['--records']]) {
          const { code, notes } = await inspect(file, ...flags);
          const what = `${file} ${cuts ? 'cut at' : 'changed at'} ${at} ${flags.join(' ')}: ${code} ${notes}`;
          endings.set(`${kind} ${code}`, (endings.get(`${kind} ${code}`) ?? 0) + 1);
          if (code === 3) {
            if (!notes.includes(file) || !/byte \d+|version/.test(notes)) t.fail(what);
          } else if (kind !== '.qlog') t.fail(what);
          else if (code === 0 && !notes.includes('unfinished last write') && !cuts) t.fail(what);
          else if (code === 1 && !/unnamed|its name must be|is not a data directory/.test(notes))
            t.fail(what);
        }
      }
      fs.writeFileSync(file, whole);
    }
    for (const kind of ['manifest', '.qlog', '.arrow'])
      t.ok((endings.get(`${kind} 3`) ?? 0) > 24, `${kind}: ${JSON.stringify([...endings])}`);
  },
);

/** The offset after the last byte that is not 0. */
function lastUsed(bytes: Buffer): number {
  let end = bytes.length;
  while (end > 0 && bytes[end - 1] === 0) end--;
  return end;
}

t.test(
  'a snapshot file without a known checksum is printed or reported as damaged, whatever its content',
  async (t) => {
    const dir = await writeStore(t);
    const prng = new Prng(SEED + 1);
    const lone = path.join(makeDir(t), 'lone.arrow');
    for (const file of filesOf(dir, /\.arrow$/)) {
      const whole = fs.readFileSync(file);
      fs.writeFileSync(lone, whole);
      t.match(await inspect(lone), { code: 0, out: /no manifest next to it names the file/ });
      for (let round = 0; round < 60; round++) {
        const damaged = Buffer.from(whole);
        for (let flips = prng.between(1, 4); flips > 0; flips--)
          damaged[prng.below(whole.length)] ^= 1 << prng.below(8);
        fs.writeFileSync(lone, damaged);
        const { code, notes } = await inspect(lone, '--rows', '400');
        if (code !== 0 && (code !== 3 || !notes.includes(`${lone} is corrupt at byte `)))
          t.fail(`${code} ${notes}`);
      }
    }
  },
);

t.test('the process exits with 3 for a damaged file and prints no stack', async (t) => {
  const dir = await writeStore(t);
  const manifest = path.join(dir, 'manifest');
  const bytes = fs.readFileSync(manifest);
  bytes[bytes.length >> 1] ^= 1;
  fs.writeFileSync(manifest, bytes);
  const { code, output } = await runCommand(['inspect', dir]);
  t.equal(code, 3);
  t.match(output, /^quarry: .*manifest is corrupt at byte 8: it fails its checksum\n$/);
  t.match(await runCommand(['inspect']), { code: 2, output: /inspect takes the files/ });
});
