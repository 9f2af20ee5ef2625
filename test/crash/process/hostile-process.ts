/** The process of hostile-clients.ts: target, seed and number of connections are its arguments. It ends when it is killed. */
import { attackForEver, type Target } from '../client/hostile-clients.js';

const [target, seed, count] = process.argv.slice(2);
await attackForEver(JSON.parse(target) as Target, Number(seed), Number(count));
