/** Answers of POST /v1/query/stickiness to generated questions are those of the model. */
import t from 'tap';
import { compareKind } from './compare.js';

t.test('stickiness', (t) => compareKind(t, 'stickiness'));
