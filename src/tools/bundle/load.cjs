/**
 * Runs a bundle with the code that V8 made of it when it was built (`FILE.VERSION.code`, by version of Node), so that a
 * start need not compile it again. No such file, or that of another V8, is no error: then the bundle is compiled.
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

/** What the bundle `file` (an absolute path) exports. */
module.exports = function load(file) {
  const cachedData = readIfThere(`${file}.${process.version}.code`);
  const script = new vm.Script(wrap(fs.readFileSync(file, 'utf8')), { filename: file, cachedData });
  const module = { exports: {} };
  script.runInThisContext()(module.exports, createRequire(file), module, file, path.dirname(file));
  return module.exports;
};
