/**
 * Limits how much uWebSockets reads from one connection in one turn of the event loop. It reads again while a read fills its
 * buffer of 512 KiB, and a pause takes effect only after that: a body of 100 MB from a fast sender came in one turn.
 * With a receive buffer below 512 KiB no read fills that buffer: of 10,000 bodies of 4 MB from 1 to 8 senders on loopback,
 * none gave more than 390,344 bytes in a turn.
 * Connections inherit the receive buffer of their listening socket. Node has no function to set it, so this file calls the
 * C library, on Linux only.
 * Cost: one connection receives at most about RECEIVE_BUFFER_BYTES per round trip.
 */
import { createRequire } from 'node:module';
import type Koffi from 'koffi';

/** The requested size; the kernel doubles it. */
const RECEIVE_BUFFER_BYTES = 192 * 1024;
/** The size of the buffer into which uWebSockets reads. */
const READ_BYTES = 512 * 1024;

/** <sys/socket.h> of Linux. */
const SOL_SOCKET = 1;
const SO_RCVBUF = 8;
const SO_ACCEPTCONN = 30;

/** The search ends after this number of consecutive descriptors that are not sockets: a new socket gets the lowest free one. */
const GAP_MAX = 256;

type Option = typeof SO_RCVBUF | typeof SO_ACCEPTCONN;

interface Sockets {
  /** null = the descriptor is not a socket. */
  get(descriptor: number, option: Option): number | null;
  /** Returns false if the kernel refuses the value. */
  set(descriptor: number, option: Option, value: number): boolean;
  /** The port that the socket is bound to; null = none. */
  port(descriptor: number): number | null;
}

/** Must be called right after the port was opened. Returns null, or the reason why its connections have no limit. */
export function limitReceiveBuffer(port: number): string | null {
  if (process.platform !== 'linux') return `not supported on ${process.platform}`;
  try {
    return limitWith(socketsOf(createRequire(import.meta.url)('koffi') as typeof Koffi), port);
  } catch (error) {
    return `koffi did not load: ${(error as Error).message.split('\n', 1)[0]}`;
  }
}

function limitWith(sockets: Sockets, port: number): string | null {
  let reason: string | null = `no listening socket of port ${port} was found`;
  let gap = 0;
  for (let descriptor = 0; gap < GAP_MAX; descriptor++) {
    const isListening = sockets.get(descriptor, SO_ACCEPTCONN);
    gap = isListening === null ? gap + 1 : 0;
    if (isListening !== 1 || sockets.port(descriptor) !== port) continue;
    const isSet = sockets.set(descriptor, SO_RCVBUF, RECEIVE_BUFFER_BYTES);
    const bytes = sockets.get(descriptor, SO_RCVBUF) ?? READ_BYTES;
    if (!isSet || bytes >= READ_BYTES) return `the receive buffer stayed at ${bytes} bytes`;
    // Continues, because an earlier listening socket of the port may not be closed yet.
    reason = null;
  }
  return reason;
}

function socketsOf(koffi: typeof Koffi): Sockets {
  const library = koffi.load('libc.so.6');
  const getsockopt = library.func('int getsockopt(int, int, int, _Out_ void *, _Inout_ void *)');
  const setsockopt = library.func('int setsockopt(int, int, int, void *, uint32_t)');
  const getsockname = library.func('int getsockname(int, _Out_ void *, _Inout_ void *)');
  return {
    get(descriptor, option) {
      const value = new Int32Array(1);
      const isSocket =
        getsockopt(descriptor, SOL_SOCKET, option, value, Uint32Array.of(value.byteLength)) === 0;
      return isSocket ? value[0] : null;
    },
    set(descriptor, option, value) {
      const bytes = Int32Array.of(value);
      return setsockopt(descriptor, SOL_SOCKET, option, bytes, bytes.byteLength) === 0;
    },
    port(descriptor) {
      // A sockaddr_in or sockaddr_in6: the port follows the family, in network order.
      const address = new Uint8Array(128);
      if (getsockname(descriptor, address, Uint32Array.of(address.byteLength)) !== 0) return null;
      return (address[2] << 8) | address[3];
    },
  };
}
