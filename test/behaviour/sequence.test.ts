/** Answers of POST /v1/query/sequence to generated questions are those of the model. */
import t from 'tap';
import { compareKind } from './compare.js';

t.test('sequence', (t) => compareKind(t, 'sequence'));
