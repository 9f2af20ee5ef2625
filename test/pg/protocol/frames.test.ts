import t from 'tap';
import { Frames } from '../../../src/pg/protocol/frames.js';
import { message } from '../raw-client.js';

t.test('a message that arrives byte by byte is joined', async (t) => {
  const frames = new Frames(100_000);
  frames.startupReceived();
  const text = 'x'.repeat(5_000);
  const bytes = Buffer.concat([message('Q', text), message('S')]);
  const kinds: string[] = [];
  for (const byte of bytes) {
    frames.add(Uint8Array.of(byte));
    const cut = frames.next();
    if (cut.is === 'frame')
      kinds.push(`${String.fromCharCode(cut.frame.kind)}${cut.frame.body.bytes.length}`);
  }
  t.strictSame(kinds, ['Q5001', 'S0']);
  t.equal(frames.byteCount, 0);
});
