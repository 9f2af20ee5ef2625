/**
 * Loaded before tap, which would follow every promise of a test process by an asynchronous hook, to attribute an error that nobody
 * catches to its test. Hooks take 7% of the tests' CPU time. Without them such an error ends the process, which fails its files.
 */
const hooks = require('node:async_hooks');
const { syncBuiltinESMExports } = require('node:module');

const NO_HOOK = { enable: () => NO_HOOK, disable: () => NO_HOOK };
hooks.createHook = () => NO_HOOK;
syncBuiltinESMExports();
