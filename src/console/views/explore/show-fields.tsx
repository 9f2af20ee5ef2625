/** The fields of each kind of question. */

import { ActivityFields } from './activity-fields.js';
import { CountFields } from './count-fields.js';
import { EntityFields } from './entity-fields.js';
import { FlowFields } from './flow-fields.js';
import { FunnelFields } from './funnel-fields.js';
import { MapFields } from './map-fields.js';
import { RetentionFields } from './retention-fields.js';
import { RowsFields } from './rows-fields.js';
import type { ShowProps } from './show-props.js';
import { TrendFields } from './trend-fields.js';

const FIELDS = {
  trend: TrendFields,
  funnel: FunnelFields,
  retention: RetentionFields,
  lifecycle: ActivityFields,
  distribution: ActivityFields,
  flow: FlowFields,
  count: CountFields,
  top: CountFields,
  map: MapFields,
  rows: RowsFields,
  entity: EntityFields,
} as const;

export function ShowFields(props: ShowProps) {
  const Fields = FIELDS[props.draft.show];
  return <Fields {...props} />;
}
