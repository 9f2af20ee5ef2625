/** Answers of POST /v1/query/flow to generated questions are those of the model. */
import t from 'tap';
import { compareKind } from './compare.js';

t.setTimeout(300_000);
t.test('flow', (t) => compareKind(t, 'flow'));
