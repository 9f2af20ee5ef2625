import t from 'tap';
import { exceedsLimit, sqlStateOf } from '../../../src/pg/protocol/sql-states.js';
import { sqlError } from '../../../src/sql/index.js';

const STATES: Readonly<Record<string, readonly string[]>> = {
  '54001': [
    'the expression is nested more than 64 deep',
    'the expression has more than 1000 nested operators',
    'the expression nests deeper than 1000 levels',
    'the expression has more than 200000 parts',
    'conditions are nested deeper than 100',
    'a statement has at most 500 SELECTs and VALUES',
    'there are more than 20 views within views',
  ],
  '54011': ['there are more than 1000 columns in the answer', 'an INSERT names at most 200000 columns'],
  '54000': [
    'a text has at most 100 statements',
    'there are more than 10000 values in one IN',
    'a SELECT joins at most 32 tables',
    'a list of an aggregate has more than 1,000,000 characters',
    'WITH RECURSIVE has not ended after 10 rounds; add a condition to its recursive part that becomes false',
  ],
  '42622': ['a name has at most 10000 characters, not 10001'],
  '57014': [
    'a function took more than 5 seconds for the texts of one vector; use a simpler regular expression',
  ],
  '22003': ['a number has more than 38 digits', 'the result of << has more than 64 bits'],
  '42601': ['found "x" where a comma is expected'],
};

t.test('limits of a statement have the SQLSTATEs of Postgres', async (t) => {
  for (const [state, messages] of Object.entries(STATES)) {
    for (const message of messages) {
      const error = sqlError(message, null);
      t.equal(sqlStateOf(error), state, message);
      t.equal(exceedsLimit(error), state.startsWith('54'), message);
    }
  }
});
