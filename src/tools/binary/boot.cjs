/**
 * The entry point of the single executable: unpacks the assets into a private cache directory named after their hash, and
 * runs the program there. It is CommonJS and uses built-in modules only, because an executable can load nothing else.
 * Location: QUARRY_CACHE_DIR, else XDG_CACHE_HOME/quarry, else ~/.cache/quarry, else the system's temporary folder.
 * Invariants: the directory belongs to this user alone (mode 0700); a directory with its final name is complete; the remains of a
 * crash have another name; processes that unpack at the same time do not interfere.
 */
const crypto = require('node:crypto');
const fs = require('node:fs');
const { createRequire } = require('node:module');
const os = require('node:os');
const path = require('node:path');
const sea = require('node:sea');
const zlib = require('node:zlib');

/** [path, bytes, whether it is compressed] of each asset, and the hash of all. */
const INDEX = JSON.parse(sea.getAsset('index.json', 'utf8'));

/** Candidates for the location of the cache, the preferred one first. */
function* places() {
  const { QUARRY_CACHE_DIR, XDG_CACHE_HOME } = process.env;
  if (QUARRY_CACHE_DIR) yield QUARRY_CACHE_DIR;
  if (XDG_CACHE_HOME) yield path.join(XDG_CACHE_HOME, 'quarry');
  const home = homeOrNull();
  if (home !== null) yield path.join(home, '.cache/quarry');
  yield path.join(os.tmpdir(), `quarry-${process.getuid?.() ?? 'cache'}`);
}

function homeOrNull() {
  try {
    return path.isAbsolute(os.homedir()) ? os.homedir() : null;
  } catch {
    return null;
  }
}

/** Creates the folder with mode 0700. Throws if it belongs to another user or cannot be written. */
function makePrivate(dir) {
  fs.mkdirSync(dir, { recursive: true, mode: 0o700 });
  const stat = fs.lstatSync(dir);
  if (!stat.isDirectory()) throw new Error(`${dir} is not a directory`);
  if (process.getuid !== undefined) {
    if (stat.uid !== process.getuid()) throw new Error(`${dir} belongs to another user`);
    if ((stat.mode & 0o077) !== 0) fs.chmodSync(dir, 0o700);
  }
  fs.accessSync(dir, fs.constants.W_OK);
}

/** Whether the folder is complete: every file has its size. */
function isWhole(dir) {
  try {
    return INDEX.files.every(([file, bytes]) => fs.statSync(path.join(dir, file)).size === bytes);
  } catch {
    return false;
  }
}

function unpack(dir) {
  const beside = `${dir}.${crypto.randomBytes(8).toString('hex')}`;
  try {
    for (const [file, bytes, isPacked] of INDEX.files) {
      const target = path.join(beside, file);
      fs.mkdirSync(path.dirname(target), { recursive: true, mode: 0o700 });
      const asset = Buffer.from(sea.getRawAsset(file));
      const content = isPacked ? zlib.brotliDecompressSync(asset) : asset;
      if (content.length !== bytes) throw new Error(`${file} is damaged`);
      fs.writeFileSync(target, content, { mode: 0o600 });
    }
    putInPlace(beside, dir);
  } finally {
    fs.rmSync(beside, { recursive: true, force: true });
  }
}

/** Renames `beside` to `dir`. A complete folder of that name, from a faster process, is in use and stays. */
function putInPlace(beside, dir) {
  try {
    fs.renameSync(beside, dir);
  } catch (error) {
    if (isWhole(dir)) return;
    if (!fs.existsSync(dir)) throw error;
    const damaged = `${beside}.damaged`;
    fs.renameSync(dir, damaged);
    fs.renameSync(beside, dir);
    fs.rmSync(damaged, { recursive: true, force: true });
  }
}

function programDir() {
  const failures = [];
  for (const place of places()) {
    const dir = path.join(place, INDEX.hash);
    try {
      makePrivate(place);
      if (!isWhole(dir)) unpack(dir);
      return dir;
    } catch (error) {
      failures.push(`${place}: ${error.message}`);
    }
  }
  process.stderr.write(`quarry: there is no directory to unpack to:\n${failures.join('\n')}\n`);
  return process.exit(1);
}

const dir = programDir();
// Worker threads of this process start from files in the cache, as with an ordinary Node.
createRequire(path.join(dir, 'run.cjs'))('./run.cjs');
