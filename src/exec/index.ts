export * from './count.js';
