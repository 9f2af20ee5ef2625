/** What the fields of every kind of question are drawn from. */
import type { Draft } from '../../query/draft.js';
import type { OnChange } from '../../query/fields.js';
import type { Dimension } from '../../server/model.js';

export interface ShowProps {
  readonly draft: Draft;
  readonly dimension: Dimension | undefined;
  readonly onChange: OnChange<Draft>;
}
