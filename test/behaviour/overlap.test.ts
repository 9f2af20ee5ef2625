/** Answers of POST /v1/query/overlap to generated questions are those of the model. */
import t from 'tap';
import { compareKind } from './compare.js';

t.test('overlap', (t) => compareKind(t, 'overlap'));
