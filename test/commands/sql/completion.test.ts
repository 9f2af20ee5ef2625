import t from 'tap';
import { completions } from '../../../src/commands/sql/completion.js';

const column = (apiName: string, type = 'string') => ({ apiName, type, isList: false });
const MODELS = [
  {
    name: 'default',
    attributes: [column('country'), column('home-town')],
    events: [],
    relations: [],
    inactive: [],
  },
  {
    name: 'trips',
    attributes: [column('cost', 'integer')],
    events: [column('code', 'string-event')],
    relations: [],
    inactive: [],
  },
];
const found = (before: string): string[] => completions(MODELS, before)[0];

t.test('columns of the dimension in the statement and keywords are completed', (t) => {
  t.strictSame(found('SELECT x FROM trips WHERE cod'), ['[code.date]', '[code.value]']);
  t.strictSame(found('SELECT x FROM trips WHERE cos'), ['cos', 'cosh', 'cost']);
  t.strictSame(found('SELECT cou'), ['count', 'country']);
  t.strictSame(found('SELECT 1 FROM [default] WHERE h'), ['[home-town]', 'having', 'hour']);
  t.strictSame(found('SELECT time_'), ['time_bucket']);
  t.end();
});

t.test('only names are completed within brackets', (t) => {
  t.strictSame(found('UPDATE [de'), ['[default]']);
  t.strictSame(found('SELECT [e'), ['[entity-id]']);
  t.end();
});

t.test('keywords are completed in the case of their typed beginning', (t) => {
  t.strictSame(completions(MODELS, 'SEL'), [['SELECT'], 'SEL']);
  t.strictSame(completions(MODELS, 'sel'), [['select'], 'sel']);
  t.strictSame(completions(MODELS, 'SELECT 1 FROM tr'), [
    ['translate', 'trim', 'trips', 'true', 'trunc', 'try_strptime'],
    'tr',
  ]);
  t.end();
});
