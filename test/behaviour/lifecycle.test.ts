/** Answers of POST /v1/query/lifecycle to generated questions are those of the model. */
import t from 'tap';
import { compareKind } from './compare.js';

t.test('lifecycle', (t) => compareKind(t, 'lifecycle'));
