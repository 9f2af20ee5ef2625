import t from 'tap';
import { Prng, TEXT_POINTS_MAX } from '../../../src/base/index.js';
import { pieces, quarantineLine } from '../../../src/ingest/quarantine/refused-line.js';

const SETTINGS = { source: 'shipper', requestId: 'r-1', parameters: 'id=x&on-error=quarantine' };

t.test('a long text becomes pieces of whole characters', async (t) => {
  const seed = 41;
  const random = new Prng(seed);
  t.strictSame(pieces(''), []);
  for (let round = 0; round < 200; round++) {
    const text = Array.from({ length: random.between(1, 2_600) }, () => random.pick(['a', 'ü', '😀'])).join(
      '',
    );
    const found = pieces(text);
    const isRight =
      found.join('') === text &&
      found.every(
        (piece) => piece !== '' && piece.length <= TEXT_POINTS_MAX && Buffer.from(piece).toString() === piece,
      );
    if (!isRight) return t.fail(`seed ${seed}, round ${round}: ${JSON.stringify(found)}`);
  }
  t.pass();
});

t.test('a refused line is kept with its reason and where it came from', async (t) => {
  const error = { code: 2007, message: 'line 4: no number' } as const;
  const nowMs = Date.UTC(2026, 0, 5, 10, 20, 30, 999);
  const entityOf = (bytes: Uint8Array, header: string): Record<string, unknown> =>
    JSON.parse(
      quarantineLine({ bytes, lineNumber: 4, error }, 'web-quarantine', header, nowMs, SETTINGS).text,
    );
  const { id, ...entity } = entityOf(new TextEncoder().encode('\ufeff{"a": 1}\r'), 'id,a');
  t.match(id, /^[0-9a-f-]{36}$/);
  t.strictSame(entity, {
    dimension: 'web-quarantine',
    line: ['\ufeff{"a": 1}\r'],
    code: 2007,
    reason: 'line 4: no number',
    'line-number': 4,
    received: '2026-01-05T10:20:30Z',
    source: 'shipper',
    request: 'r-1',
    parameters: ['id=x&on-error=quarantine'],
    header: ['id,a'],
  });
  const invalid = Uint8Array.of(0x61, 0xff, 0x62);
  t.match(entityOf(invalid, ''), { line: [`base64:${Buffer.from(invalid).toString('base64')}`] });
  t.notOk('header' in entityOf(invalid, ''));
});
