import t from 'tap';
import { NAME_CHARS_MAX } from '../../../src/base/index.js';
import {
  type QuarantineModel,
  quarantineOf,
  withQuarantine,
} from '../../../src/ingest/quarantine/quarantine-model.js';
import type { DatabaseModel } from '../../../src/schema/index.js';
import { column, dimension, modelOf } from '../../support/ingest/ingest-bodies.js';

function made(model: DatabaseModel, name: string): QuarantineModel {
  const outcome = withQuarantine(model, name);
  if ('error' in outcome) throw new Error(outcome.error.message);
  return outcome;
}

t.test('a quarantine is created with the next IDs of the model, once', async (t) => {
  const model = modelOf([dimension(1, 'default', [column(1, 'a', 'integer')])]);
  const first = made(model, 'default');
  t.strictSame(
    first.createdDimensions.map(({ id, apiName }) => [id, apiName]),
    [[model.nextDimensionId, 'default-quarantine']],
  );
  t.equal(first.createdColumns[0].column.id, model.nextColumnId);
  t.strictSame(
    first.columnIds,
    first.createdColumns.map(({ column: { id } }) => id),
  );
  t.equal(first.model.nextColumnId, model.nextColumnId + first.createdColumns.length);
  const texts = first.createdColumns.filter(({ column: { type } }) => type === 'string');
  t.ok(texts.every(({ column: { textCase } }) => textCase === 'preserve'));
  const again = made(first.model, 'default');
  t.equal(again.model, first.model);
  t.strictSame([again.createdDimensions, again.createdColumns, again.columnIds], [[], [], first.columnIds]);
});

t.test('a name stays within its limit', async (t) => {
  const name = quarantineOf('x'.repeat(NAME_CHARS_MAX));
  t.equal(name.length, NAME_CHARS_MAX);
  t.ok(name.endsWith('-quarantine'));
});

t.test('a dimension of that name with other columns, and a full test database, are named', async (t) => {
  const other = modelOf([
    dimension(1, 'default', []),
    dimension(2, 'default-quarantine', [column(1, 'line', 'integer')]),
  ]);
  t.match(withQuarantine(other, 'default'), {
    error: { code: 2011, message: /"default-quarantine".*"line"/ },
  });
  const columns = Array.from({ length: 95 }, (_, at) => column(at + 1, `c${at}`, 'integer'));
  const full = modelOf([dimension(1, 'default', columns)], { type: 'test' });
  t.match(withQuarantine(full, 'default'), { error: { code: 2021 } });
});
