export * from './merge-partitions.js';
export * from './partition-groups.js';
