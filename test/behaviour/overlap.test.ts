/** Answers of POST /v1/query/overlap to generated questions are those of the model. */
import t from 'tap';
import { compareKind } from './compare.js';

t.setTimeout(300_000);
t.test('overlap', (t) => compareKind(t, 'overlap'));
