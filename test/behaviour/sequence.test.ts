/** Answers of POST /v1/query/sequence to generated questions are those of the model. */
import { compareKind } from './compare.js';

compareKind('sequence');
