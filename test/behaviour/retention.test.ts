/** Answers of POST /v1/query/retention to generated questions are those of the model. */
import t from 'tap';
import { compareKind } from './compare.js';

t.test('retention', (t) => compareKind(t, 'retention'));
