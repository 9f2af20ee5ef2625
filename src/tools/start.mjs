#!/usr/bin/env node
/** Starts Quarry from a checkout: builds when the sources are newer, then runs the command line in this process. */
import { buildIfStale } from './build.mjs';

const built = await buildIfStale();
if (built.length > 0) process.stderr.write(`built ${built.join(' and ')}\n`);
await import('../../dist/src/main.js');
