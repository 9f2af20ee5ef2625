/**
 * Runs a bundle with the code that V8 compiled at build time (`FILE.VERSION.code`, by version of Node), so that a start need
 * not compile it again. If the file is missing or belongs to another version of V8, the bundle is compiled.
 */
const fs = require('node:fs');
const { createRequire, wrap } = require('node:module');
const path = require('node:path');
const vm = require('node:vm');

function readIfThere(file) {
  try {
    return fs.readFileSync(file);
  } catch {
    return undefined;
  }
}

/** The exports of the bundle `file`, an absolute path. */
module.exports = function load(file) {
  const cachedData = readIfThere(`${file}.${process.version}.code`);
  const script = new vm.Script(wrap(fs.readFileSync(file, 'utf8')), { filename: file, cachedData });
  const module = { exports: {} };
  script.runInThisContext()(module.exports, createRequire(file), module, file, path.dirname(file));
  return module.exports;
};
