import t from 'tap';
import { readScript } from '../../src/sql/index.js';
import { fieldOf, parseStatement, unknownFields } from '../../src/sql/parser.js';

t.test('a parse error has a position, whatever the parser throws', async (t) => {
  t.strictSame(parseStatement('SELECT q0 q1 q2'), { failedAt: 13 });
  t.strictSame(parseStatement('SELECT'), { failedAt: 6 });
  t.equal(fieldOf(fieldOf(parseStatement('SELECT q0'), 'statement'), 'type'), 'select');
});

t.test('the parser binds OR tighter than AND, so it does not parse expressions', async (t) => {
  const where = fieldOf(fieldOf(parseStatement('SELECT q0 WHERE q1 OR q2 AND q3'), 'statement'), 'where');
  t.equal(fieldOf(where, 'operator'), 'AND');
  t.equal(fieldOf(fieldOf(where, 'left'), 'operator'), 'OR');
});

t.test('unknown fields of a node are reported unless they are empty', async (t) => {
  const node = {
    type: 'select',
    over: null,
    into: { position: null },
    options: [],
    top: { value: 5 },
    collate: 0,
  };
  t.strictSame(unknownFields(node, ['type']), ['top', 'collate']);
  t.strictSame(unknownFields(node, ['type', 'top', 'collate']), []);
  t.strictSame(unknownFields(null, []), ['node']);
  t.equal(fieldOf(null, 'x'), null);
  t.equal(fieldOf({ x: undefined }, 'x'), null);
});

t.test('the parser gets only short texts, because it takes minutes for long tokens', async (t) => {
  t.throws(() => parseStatement(`SELECT ${'q'.repeat(5_000_000)}`), { name: 'InvariantError' });
  const text = 'x'.repeat(5_000_000);
  t.equal(readScript(`SELECT '${text}' AS "${text}" FROM t`).statements.length, 1);
});
