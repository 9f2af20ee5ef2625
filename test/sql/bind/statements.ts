/** A model, rows and shorthands for the tests of binding. */

import { FULL_ACCESS } from '../../../src/api/index.js';
import { QuarryError } from '../../../src/base/index.js';
import type { SelectPlan } from '../../../src/ir/index.js';
import type { DatabaseModel } from '../../../src/schema/index.js';
import {
  bindSelect,
  bindTarget,
  readScript,
  type SelectStatement,
  type SqlAccess,
  type SqlRequest,
  type Target,
} from '../../../src/sql/index.js';
import { json, modelWith } from '../../api/databases.js';
import { flatRead } from '../../support/sql/flat-read.js';

export const NOW_MS = Date.UTC(2018, 5, 30, 12, 34, 56, 789);

/** Columns of "users", by id: 1 name, 2 age, ... in this order. The columns of "cities" start at 15. */
export const MODEL: DatabaseModel = modelWith(
  json(`[
  {"name":"name","type":"string","dimension":"users"}, {"name":"age","type":"integer","dimension":"users"},
  {"name":"salary","type":"decimal","decimal-places":2,"dimension":"users"},
  {"name":"active","type":"boolean","dimension":"users"}, {"name":"admission","type":"date","dimension":"users"},
  {"name":"seen","type":"datetime","dimension":"users"}, {"name":"city","type":"string","dimension":"users"},
  {"name":"level","type":"enumerated","range":[0,10,20],"dimension":"users"},
  {"name":"tags","type":"string","storage":"list-of-values","dimension":"users"},
  {"name":"marks","type":"integer","storage":"list-of-values","dimension":"users"},
  {"name":"home","type":"geolocation","dimension":"users"},
  {"name":"clicks","type":"string-event","dimension":"users"},
  {"name":"spent","type":"decimal-event","decimal-places":2,"dimension":"users"},
  {"name":"score-2","type":"integer","dimension":"users"},
  {"name":"country","type":"string","dimension":"cities"}, {"name":"people","type":"integer","dimension":"cities"},
  {"name":"name","type":"string","dimension":"cities"}, {"name":"visits","type":"integer-event","dimension":"cities"},
  {"name":"region","type":"string","dimension":"cities"},
  {"name":"continent","type":"string","dimension":"regions"}, {"name":"x","type":"integer"}
]`),
);

export function requestWith(access: SqlAccess = FULL_ACCESS): SqlRequest {
  return { model: MODEL, nowMs: NOW_MS, access };
}

export function selectOf(text: string): SelectStatement {
  const script = readScript(text);
  if (script.kind !== 'reads') throw new Error('no SELECT');
  return flatRead(script.statements[0]);
}

export function planOf(text: string, access?: SqlAccess): SelectPlan {
  return bindSelect(selectOf(text), requestWith(access));
}

/** The target of a DELETE or UPDATE; null if its rows must be read first. */
export function targetOf(text: string, access?: SqlAccess): Target | null {
  const script = readScript(text);
  const [statement] = script.statements;
  if (statement.is !== 'delete' && statement.is !== 'update') throw new Error('no DELETE and no UPDATE');
  return bindTarget(statement.table, statement.where, requestWith(access));
}

/** The content of a refusal: code, message, line, column, and the suggestion if there is one. */
export function refusalOf(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    if (!(error instanceof QuarryError)) throw error;
    const { message: _message, ...more } = error.moreInfo as Record<string, unknown>;
    return { code: error.code, message: error.message, ...more };
  }
  return 'accepted';
}
