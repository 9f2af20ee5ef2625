/** The clocks by which a request counts days, weeks and months. */
import { choice, orNull, text } from './schema.js';

export const WEEK_STARTS = [
  'monday',
  'tuesday',
  'wednesday',
  'thursday',
  'friday',
  'saturday',
  'sunday',
] as const;

const WRONG = { wrong: 9101, null: 9101 } as const;

export const localTimeFields = {
  'time-zone': orNull(
    text('An IANA name, such as `Europe/Berlin`; default UTC.', { codes: WRONG, minLength: 1 }),
  ),
  'week-start': orNull(choice(WEEK_STARTS, 'The first day of a week; default monday.', WRONG)),
};
