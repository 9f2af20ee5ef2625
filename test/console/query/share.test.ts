/** Questions in addresses. */
import t from 'tap';
import { type Condition, newDraft, SHOWS } from '../../../src/console/query/draft.js';
import { draftOfShare, shareText } from '../../../src/console/query/share.js';
import { dimensionOf } from '../../../src/console/server/model.js';
import { MODEL } from '../model.js';

const airports = dimensionOf(MODEL, 'airports');
const base = newDraft(airports);
const condition: Condition = {
  ...{ id: 1, column: 'city', test: { operator: 'equals', values: ['Zürich “1”'] } },
  ...{ from: '', to: '', atLeast: '1', negated: true },
};
const encoded = (plain: unknown): string => Buffer.from(JSON.stringify(plain)).toString('base64url');

t.test('a question of each kind comes back from its text, with letters of every language', async (t) => {
  for (const show of SHOWS) {
    const draft = { ...base, show, ...(show === 'entity' ? { entity: 'é' } : { conditions: [condition] }) };
    const text = shareText(draft);
    t.match(text, /^[\w-]+$/);
    t.strictSame(draftOfShare(text, MODEL), draft, show);
  }
});

t.test('fields of other kinds are not in the text', async (t) => {
  const count = { ...base, show: 'count' } as const;
  t.equal(shareText({ ...count, entity: 'x', limit: '7' }), shareText(count));
  t.not(shareText({ ...count, join: 'or' }), shareText(count));
});

t.test('a text that is no question of this database is refused', async (t) => {
  const whole = JSON.parse(Buffer.from(shareText({ ...base, show: 'funnel' }), 'base64url').toString());
  t.not(draftOfShare(encoded(whole), MODEL), null);
  const wrong = [
    '',
    'nonsense',
    encoded(7),
    encoded(null),
    encoded({ ...whole, dimension: 'gone' }),
    encoded({ ...whole, show: 'constructor' }),
    encoded({ ...whole, funnel: 1 }),
    encoded({ ...whole, funnel: { ...whole.funnel, steps: [{ id: 1 }] } }),
    encoded({ ...whole, conditions: [{ ...condition, test: { operator: 'equals', values: [1] } }] }),
    encoded({ ...whole, window: { from: '2001-01-01' } }),
  ];
  for (const text of wrong) t.equal(draftOfShare(text, MODEL), null, text);
});

t.test('a question of an earlier release has the fields of today', async (t) => {
  const whole = JSON.parse(Buffer.from(shareText({ ...base, show: 'trend' }), 'base64url').toString());
  const { beside: _, timeZone: __, trend, ...earlier } = whole;
  const { formula: ___, notes: ____, rolling: _____, ...oldTrend } = trend;
  t.strictSame(draftOfShare(encoded({ ...earlier, trend: oldTrend }), MODEL), { ...base, show: 'trend' });
  t.equal(draftOfShare(encoded({ ...earlier, trend: { ...trend, notes: [{ id: 1 }] } }), MODEL), null);
});
