/**
 * Returns the nth greatest (from 1) of `counts`, which has at least n elements. `heap` is scratch memory of at least n elements:
 * a heap of the n greatest with the least at its top.
 * Cost  O(length), plus O(log n) for each count that is among the n greatest so far.
 */
export function nthGreatest(counts: Uint32Array, heap: Uint32Array, n: number): number {
  for (let index = 0; index < n; index++) heap[index] = counts[index];
  for (let top = (n >>> 1) - 1; top >= 0; top--) sinkLeast(heap, n, top);
  for (let index = n; index < counts.length; index++) {
    const count = counts[index];
    if (count <= heap[0]) continue;
    heap[0] = count;
    sinkLeast(heap, n, 0);
  }
  return heap[0];
}

/** Restores a heap of `size` with the least at its top, by sinking the count at `top`. */
export function sinkLeast(heap: Uint32Array | Float64Array, size: number, top: number): void {
  const count = heap[top];
  let at = top;
  for (;;) {
    let child = 2 * at + 1;
    if (child >= size) break;
    if (child + 1 < size && heap[child + 1] < heap[child]) child++;
    if (heap[child] >= count) break;
    heap[at] = heap[child];
    at = child;
  }
  heap[at] = count;
}
