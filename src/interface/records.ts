/** The parameter of bodies of lines and of flat records, in the query of their URL. */
export const ON_ERROR =
  'What happens to lines that are refused: `refuse` (default) refuses their part of the body; `quarantine` keeps them in the dimension `NAME-quarantine`, and inserts the others.';

/** The parameter of every insert. */
export const DEDUPE_BODY =
  '`:body`: a body (of lines: a part of it) with the same bytes, key and URL as one within 24 hours gets the first answer, and takes effect once. An Idempotency-Key has precedence.';

/** The parameters of a body of flat records, in the query of its URL. */
export const RECORD_PARAMETERS = {
  id: 'The field of the entity ID; `:uuid` (a new one per record) or `:hash` (of the bytes of the record).',
  dimension: 'The dimension of the entities; the default dimension if it is missing.',
  event:
    'COLUMN:FIELD or COLUMN:FIELD:DATE: the value of FIELD is an event of COLUMN, with the date in the field DATE. Can be repeated.',
  'event-fields':
    'NAME: the field of that name, and all fields of an object NAME, are events of columns of their own, with the date in the field of `time`; new ones are of the relation NAMEs.',
  time: 'The field with the time of a record: the date of its events that have no date of their own.',
  'auto-create':
    '`column`, `dimension` or both, with a comma between them: what does not exist is created, also the columns of `event`.',
  unknown:
    'What is done with a field that no column has: `refuse` (default), `ignore` or `create` (default with `auto-create=column`).',
  dedupe: `A field that every record has: a record whose value was inserted within 24 hours is left out. Or ${DEDUPE_BODY}`,
  'on-error': ON_ERROR,
  delimiter: 'Between the values of CSV: `,` (default), `;`, `|` or `tab`.',
} as const;
