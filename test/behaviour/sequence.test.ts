/** Answers of POST /v1/query/sequence to generated questions are those of the model. */
import t from 'tap';
import { compareKind } from './compare.js';

t.setTimeout(300_000);
t.test('sequence', (t) => compareKind(t, 'sequence'));
