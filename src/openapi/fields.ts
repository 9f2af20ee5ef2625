/** Fields that several kinds of bodies have. */
import { flag, orNull, text } from './schema.js';

export const dimension = orNull(text('Api-name of the dimension; `default` unless given.'));
export const bypassCache = orNull(flag('Works it out again instead of remembering the answer.'));
