/** Answers of POST /v1/query/flow to generated questions are those of the model. */
import { compareKind } from './compare.js';

compareKind('flow');
