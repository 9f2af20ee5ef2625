import t from 'tap';
import { CorruptionError, invariant, isUserError, NewerFormatError } from '../../src/base/index.js';

t.test('a user error is printed as its message, a bug with its stack', (t) => {
  const ofSystem = Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES' });
  for (const error of [
    new Error('the directory is not empty'),
    new CorruptionError('/file', 1, 'it fails its checksum'),
    new NewerFormatError('/file', 'manifest', 2, 1),
    ofSystem,
  ]) {
    t.ok(isUserError(error), error.message);
  }
  let broken: unknown = null;
  try {
    invariant(false, 'it must not come to this');
  } catch (error) {
    broken = error;
  }
  for (const error of [new TypeError('x is not a function'), new RangeError('too far'), broken as Error]) {
    t.notOk(isUserError(error), error.message);
  }
  t.end();
});
