export * from './lane.js';
