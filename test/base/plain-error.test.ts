import t from 'tap';
import { CorruptionError, invariant, NewerFormatError, speaksForItself } from '../../src/base/index.js';

t.test('errors for people speak for themselves, bugs do not', (t) => {
  const ofSystem = Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES' });
  for (const error of [
    new Error('the directory is not empty'),
    new CorruptionError('/file', 1, 'it fails its checksum'),
    new NewerFormatError('/file', 'manifest', 2, 1),
    ofSystem,
  ]) {
    t.ok(speaksForItself(error), error.message);
  }
  let broken: unknown = null;
  try {
    invariant(false, 'it must not come to this');
  } catch (error) {
    broken = error;
  }
  for (const error of [new TypeError('x is not a function'), new RangeError('too far'), broken as Error]) {
    t.notOk(speaksForItself(error), error.message);
  }
  t.end();
});
