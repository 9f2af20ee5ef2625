/** The listing and sizes of a small database, as the server returns them. */
import { type Model, readModel } from '../../src/console/server/model.js';

const column = (name: string, type: string, more: object = {}) => ({
  ...{ name, 'api-name': name, description: '', type, category: 'general' },
  ...more,
});

const LISTING = {
  status: 'success',
  count: 6,
  took: 0.001,
  default: { active: [column('entity-id', 'unique-id')], inactive: [] },
  airports: {
    active: [
      column('entity-id', 'unique-id'),
      column('city', 'string'),
      column('state', 'string'),
      column('tags', 'string', { storage: 'list-of-values' }),
      column('opened', 'datetime'),
      column('big', 'boolean'),
      column('runways', 'integer'),
      column('location', 'geolocation'),
      column('delay', 'integer-event'),
    ],
    inactive: [column('old', 'decimal')],
  },
};

const SIZES = {
  database: 'quarry',
  dimensions: [
    { 'api-name': 'default', entities: 0, bytes: 0, columns: [] },
    {
      'api-name': 'airports',
      entities: 3,
      bytes: 900,
      columns: [{ 'api-name': 'delay', events: 7, bytes: 56 }],
    },
  ],
};

export const MODEL: Model = readModel(LISTING, SIZES);
export const WITHOUT_SIZES: Model = readModel(LISTING, null);
