export * from './regex.js';
export { similarPattern } from './similar.js';
