import t from 'tap';
import { usableMemoryBytes } from '../../../src/commands/serve/machine-memory.js';

const MACHINE_BYTES = 16 * 2 ** 30;

function usable(files: Readonly<Record<string, string>>): number {
  return usableMemoryBytes(MACHINE_BYTES, (path) => files[path] ?? null);
}

t.test('without a cgroup limit the usable memory is that of the machine', (t) => {
  t.equal(usable({}), MACHINE_BYTES);
  t.equal(usable({ '/proc/self/cgroup': '0::/\n' }), MACHINE_BYTES);
  t.equal(usable({ '/proc/self/cgroup': '0::/\n', '/sys/fs/cgroup/memory.max': 'max\n' }), MACHINE_BYTES);
  t.equal(
    usable({
      '/proc/self/cgroup': '4:memory:/\n',
      '/sys/fs/cgroup/memory/memory.limit_in_bytes': '9223372036854771712\n',
    }),
    MACHINE_BYTES,
  );
  t.end();
});

t.test('the limit of a cgroup of version 2, or of one above it, bounds the usable memory', (t) => {
  const group = { '/proc/self/cgroup': '0::/a/b\n' };
  t.equal(usable({ ...group, '/sys/fs/cgroup/a/b/memory.max': '1000000\n' }), 1_000_000);
  const files = { '/sys/fs/cgroup/a/b/memory.max': '1000000\n', '/sys/fs/cgroup/a/memory.max': '500000\n' };
  t.equal(usable({ ...group, ...files }), 500_000);
  t.equal(usable({ ...group, '/sys/fs/cgroup/memory.max': '400000\n' }), 400_000, 'inside a container');
  t.end();
});

t.test('the limit of a cgroup of version 1 bounds the usable memory', (t) => {
  const cgroup = '9:name=systemd:/x\n4:cpu,memory:/docker/abc\n0::/\n';
  const limit = { '/sys/fs/cgroup/memory/docker/abc/memory.limit_in_bytes': '700000\n' };
  t.equal(usable({ '/proc/self/cgroup': cgroup, ...limit }), 700_000);
  t.equal(
    usable({ '/proc/self/cgroup': cgroup, '/sys/fs/cgroup/memory/memory.limit_in_bytes': '600000\n' }),
    600_000,
  );
  t.end();
});
