/** Answers of POST /v1/query/lifecycle to generated questions are those of the model. */
import { compareKind } from './compare.js';

compareKind('lifecycle');
