/** Answers of POST /v1/query/actives to generated questions are those of the model. */
import t from 'tap';
import { compareKind } from './compare.js';

t.test('actives', (t) => compareKind(t, 'actives'));
