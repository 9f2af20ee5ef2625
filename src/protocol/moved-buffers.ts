/**
 * Which memory of a lane's answers is handed over to the main thread instead of being copied: that of 'select-next', whose
 * arrays are made for the answer and looked at by nobody afterwards.
 */
import type { LaneAnswers, LaneResult, LaneTask } from './lane.js';

/** Copying less costs less. */
const MOVED_BYTES_MIN = 16 * 1024;

/** The large buffers of the answers, each once. The worker's arrays over them are empty when they were sent. */
export function movedBuffers({ requests }: LaneTask, { replies }: LaneResult): ArrayBuffer[] {
  const found = new Set<ArrayBuffer>();
  replies.forEach((reply, index) => {
    if (requests[index].op !== 'select-next' || !('value' in reply)) return;
    const part = reply.value as LaneAnswers['select-next'];
    if (part.gives === 'bytes') for (const bytes of part.parts) add(bytes, found);
    else collect(part, found);
  });
  return [...found];
}

function add({ buffer, byteLength }: ArrayBufferView, found: Set<ArrayBuffer>): void {
  if (buffer instanceof ArrayBuffer && byteLength >= MOVED_BYTES_MIN) found.add(buffer);
}

function collect(value: unknown, found: Set<ArrayBuffer>): void {
  if (typeof value !== 'object' || value === null) return;
  if (ArrayBuffer.isView(value)) {
    // One that shows a part of its memory alone may have neighbours there.
    if (value.byteLength === value.buffer.byteLength) add(value, found);
    return;
  }
  // Lists of numbers, of any length, hold no buffers.
  if (Array.isArray(value) && typeof value[0] !== 'object') return;
  for (const member of Object.values(value)) collect(member, found);
}
