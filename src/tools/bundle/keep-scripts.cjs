/**
 * Preloaded into the server that writes its compiled code: as soon as the file QUARRY_KEEP_CODE_WHEN exists, every thread
 * writes `FILE.VERSION.code` next to each bundle that it runs.
 */
const fs = require('node:fs');
const vm = require('node:vm');
const { threadId } = require('node:worker_threads');

const LOOK_MS = 20;
const scripts = new Map();

vm.Script = class extends vm.Script {
  constructor(source, options) {
    super(source, options);
    scripts.set(options.filename, this);
  }
};

const timer = setInterval(() => {
  if (!fs.existsSync(process.env.QUARRY_KEEP_CODE_WHEN)) return;
  clearInterval(timer);
  for (const [file, script] of scripts) {
    const whole = `${file}.${threadId}`;
    fs.writeFileSync(whole, script.createCachedData());
    fs.renameSync(whole, `${file}.${process.version}.code`);
  }
}, LOOK_MS);
timer.unref();
