/**
 * The process of hostile-clients.ts; its arguments are target, seed and number of connections. It runs until it is
 * killed.
 */
import { attackForEver, type Target } from '../client/hostile-clients.js';

const [target, seed, count] = process.argv.slice(2);
await attackForEver(JSON.parse(target) as Target, Number(seed), Number(count));
