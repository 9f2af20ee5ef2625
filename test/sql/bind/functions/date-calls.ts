/** Calls of functions of dates and intervals, and the expressions to which they are bound or the messages of their refusals. */
import type { SqlNode } from '../../../../src/sql/tree.js';
import { column, nothing, number, string } from '../../../support/sql/sql-nodes.js';
import type { FunctionCalls } from './text-calls.js';

const [age, ratio, name, admission, seen] = ['age', 'ratio', 'name', 'admission', 'seen'].map(column);
const [one, two] = ['1', '2'].map(number);
const date = string('2017-07-17');
const cast = (text: string, typeName: string): SqlNode => {
  const position = { line: 1, column: 1 };
  const type = { typeName, precision: null, scale: null, lenient: false };
  return { is: 'cast', of: string(text), ...type, position, parenthesized: false };
};
const hour = cast('1 hour', 'interval');
const month = cast('1 month', 'interval');
const berlin = string('Europe/Berlin');

/** The call of a part of a date, by the name of its unit. */
const partCalls = (unit: string): FunctionCalls[string] => [
  [[seen], `(date-part ${unit} #6:datetime):integer`],
];

export const DATE_CALLS: FunctionCalls = {
  isodow: partCalls('iso-weekday'),
  isoyear: partCalls('iso-year'),
  decade: partCalls('decade'),
  century: partCalls('century'),
  millennium: partCalls('millennium'),
  epoch: [...partCalls('epoch'), [[admission], '(date-part epoch #5:date):integer']],
  millisecond: partCalls('millisecond'),
  microsecond: partCalls('microsecond'),
  yearweek: [
    [
      [seen],
      '(+ (* (date-part iso-year #6:datetime):integer 100:integer):integer (date-part week #6:datetime):integer):integer',
    ],
  ],
  to_date: [
    [[seen], '(cast #6:datetime):date'],
    [[string('17.7.2017'), string('DD.MM.YYYY')], '17364:date'],
    [[string('2017'), string('YYYY')], '17167:date'],
    [[string('2017-07-17 x'), string('YYYY-MM-DD')], '"2017-07-17 x" does not match the format "YYYY-MM-DD"'],
    [
      [string('2017-13-01'), string('YYYY-MM-DD')],
      '"2017-13-01" is not a date of the years 0000 to 9999 in the format "YYYY-MM-DD"',
    ],
    [[nothing, string('YYYY')], 'null:date'],
    [[name, string('YYYY')], '(cast (read-date #3:text "YYYY":text):datetime):date'],
    [[age, string('YYYY')], 'a text is read here, not integer'],
    [[], 'TO_DATE(value[, text]) was given 0 arguments'],
  ],
  to_timestamp: [
    [[string('2017-07-17 00:00:01.5'), string('YYYY-MM-DD HH24:MI:SS.US')], '1500249601:datetime'],
    [[string('2017-07-17T01:00'), string('yyyy-mm-dd"T"hh24:mi')], '1500253200:datetime'],
    [[age], '(from-epoch (cast #0:integer):float):datetime'],
    [
      [string('17/07/2017')],
      'TO_TIMESTAMP of one argument takes seconds since 1970, not text; a text needs a format',
    ],
  ],
  strftime: [
    [[seen, string('%Y')], '(strftime #6:datetime "%Y":text):text'],
    [[string('%Y'), seen], '(strftime #6:datetime "%Y":text):text'],
    [[date, string('%Y')], '(strftime 1500249600:datetime "%Y":text):text'],
    [[nothing, string('%Y')], 'null:text'],
    [[age, string('%Y')], "STRFTIME takes a date and a format such as '%Y-%m-%d'"],
  ],
  strptime: [
    [[string('17.07.2017'), string('%d.%m.%Y')], '1500249600:datetime'],
    [[name, string('%Y')], '(strptime #3:text "%Y":text):datetime'],
  ],
  try_strptime: [[[string('x'), string('%Y')], 'null:datetime']],
  dayname: [[[admission], '(strftime (cast #5:date):datetime "%A":text):text']],
  monthname: [[[seen], '(strftime #6:datetime "%B":text):text']],
  timezone: [
    [[berlin, seen], '(local-time #6:datetime "Europe/Berlin":text):datetime'],
    [[string('UTC'), seen], '(cast #6:datetime):datetime'],
    [
      [string('nowhere'), seen],
      '"nowhere" is not a time zone that is known here; names are those of the IANA, such as \'Europe/Berlin\'',
    ],
  ],
  'timezone local': [[[berlin, seen], '(zone-instant #6:datetime "Europe/Berlin":text):datetime']],
  date_sub: [
    [[string('month'), admission, seen], '(whole-units month (cast #5:date):datetime #6:datetime):integer'],
    [[string('dow'), seen, seen], 'weekday-from-zero is a part of a date, not a length of time: write day'],
  ],
  make_timestamp: [
    [
      [number('2017'), one, two, age, one, ratio],
      '(make-datetime 2017:integer 1:integer 2:integer #0:integer 1:integer #2:float):datetime',
    ],
  ],
  epoch_ms: [
    [[seen], '(* (date-part epoch #6:datetime):integer 1000:integer):integer'],
    [[age], '(from-epoch (/ (cast #0:integer):float 1000:float):float):datetime'],
    [[name], '/ takes numbers, not text'],
  ],
  localtimestamp: [[[], '(cast 1795255200:datetime):datetime']],
  age: [
    [[seen], '(age 1795219200:datetime #6:datetime):interval'],
    [[seen, admission], '(age #6:datetime (cast #5:date):datetime):interval'],
    [[age], 'AGE(date[, date]) takes a date or datetime here, not integer'],
  ],
  make_interval: [
    [
      [one, age],
      '(interval (+ (+ 0:integer (* 1:integer 12:integer):integer):integer (* #0:integer 1:integer):integer):integer 0:integer):interval',
    ],
  ],
  to_years: [
    [[age], '(interval (+ 0:integer (* #0:integer 12:integer):integer):integer 0:integer):interval'],
  ],
  to_months: [
    [[age], '(interval (+ 0:integer (* #0:integer 1:integer):integer):integer 0:integer):interval'],
  ],
  to_weeks: [
    [[age], '(interval 0:integer (+ 0:integer (* #0:integer 604800:integer):integer):integer):interval'],
  ],
  to_days: [
    [[age], '(interval 0:integer (+ 0:integer (* #0:integer 86400:integer):integer):integer):interval'],
  ],
  to_hours: [
    [[age], '(interval 0:integer (+ 0:integer (* #0:integer 3600:integer):integer):integer):interval'],
  ],
  to_minutes: [
    [[age], '(interval 0:integer (+ 0:integer (* #0:integer 60:integer):integer):integer):interval'],
  ],
  to_seconds: [
    [[age], '(interval 0:integer (+ 0:integer (* #0:integer 1:integer):integer):integer):interval'],
  ],
  date_bin: [
    [[hour, seen, date], '(date-bin 3600:integer #6:datetime 1500249600:datetime):datetime'],
    [[age, seen, date], 'DATE_BIN(interval, date, date) takes an interval here, not integer'],
    [[month, seen, date], 'bins of months begin with a month and have no origin'],
  ],
  time_bucket: [
    [[hour, seen], '(date-bin 3600:integer #6:datetime 946857600:datetime):datetime'],
    [
      [hour, seen, berlin],
      '(zone-instant (date-bin 3600:integer (local-time #6:datetime "Europe/Berlin":text):datetime 946857600:datetime):datetime "Europe/Berlin":text):datetime',
    ],
    [[hour, seen, hour], 'an offset of bins is not available; give the origin as a date'],
  ],
  to_char: [
    [[seen, string('YYYY')], '(write-date #6:datetime "YYYY":text true):text'],
    [[ratio, string('9.9')], '(write-number (cast #2:float):text "9.9":text true):text'],
    [[age, string('9')], '(write-number (cast #0:integer):text "9":text false):text'],
    [[name, string('9')], 'TO_CHAR takes a date or a number, not text; CAST it first'],
    [[age, string('x')], 'the format "x" has no digits'],
  ],
  to_number: [
    [[name, string('99.9')], '(cast (read-number #3:text "99.9":text):text):decimal(1)'],
    [[name, name], 'the format of TO_NUMBER is a text that is the same for all rows'],
  ],
};
