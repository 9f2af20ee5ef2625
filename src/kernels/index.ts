export * from './event-states.js';
export { boxAround, EARTH_RADIUS_KM, type GeoBox, greatCircleKm } from './geo-radius.js';
export * from './insert-walk.js';
export { popcount32 } from './js/words.js';
export { bitmapBytes, type Kernels } from './kernels.js';
export { ARENA_RESERVED_BYTES, compileKernels, kernelsFor } from './registry.js';
