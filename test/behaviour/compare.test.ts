/** Answers of POST /v1/query/compare to generated questions are those of the model. */
import t from 'tap';
import { compareKind } from './compare.js';

t.setTimeout(300_000);
t.test('compare', (t) => compareKind(t, 'compare'));
