/**
 * What the single executable runs first: it unpacks its assets, by content hash, into a private cache directory, and goes
 * on with the program there. CommonJS, built-in modules only: nothing else can be loaded from within an executable.
 * Where: QUARRY_CACHE_DIR, else XDG_CACHE_HOME/quarry, else ~/.cache/quarry, else the system's folder of temporary files.
 * Invariants: the folder belongs to this user and to nobody else (mode 0700); a folder that has its name is whole; what a
 * crash left has another name; two that unpack at once do not meet.
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

/** Folders in which the cache may lie, the best first. */
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

/** Makes the folder, for this user alone. Throws when it is somebody else's, or cannot be written. */
function makePrivate(dir) {
  fs.mkdirSync(dir, { recursive: true, mode: 0o700 });
  const stat = fs.lstatSync(dir);
  if (!stat.isDirectory()) throw new Error(`${dir} is no directory`);
  if (process.getuid !== undefined) {
    if (stat.uid !== process.getuid()) throw new Error(`${dir} belongs to another user`);
    if ((stat.mode & 0o077) !== 0) fs.chmodSync(dir, 0o700);
  }
  fs.accessSync(dir, fs.constants.W_OK);
}

/** A folder that was unpacked and nobody touched since, as far as sizes tell. */
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

/** Gives `beside` the name `dir`. A whole folder that has it, from a process that was faster, is in use and stays. */
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
  process.stderr.write(`quarry: there is no place to unpack to:\n${failures.join('\n')}\n`);
  return process.exit(1);
}

const dir = programDir();
// What else this process starts in a thread is a file of the cache: loaded as by any Node.
createRequire(path.join(dir, 'run.cjs'))('./run.cjs');
