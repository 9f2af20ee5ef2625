/** The inlets that a server has, as the option --inlets names them. */

import { elasticsearch } from './elasticsearch.js';
import type { Inlet } from './inlet.js';
import { otlp } from './otlp/otlp.js';
import { posthog } from './posthog.js';
import { segment } from './segment.js';

const INLETS: readonly Inlet[] = [segment, posthog, elasticsearch, otlp];

export const INLET_NAMES: readonly string[] = INLETS.map(({ name }) => name);

/** An inlet that is on. */
export interface InletSetting {
  readonly inlet: Inlet;
  /** The dimension of records whose request names none. */
  readonly dimension: string;
}

const ITEM = /^([a-z]+)(?::([a-z0-9-]{1,64}))?$/;

/** Reads items such as `segment` or `otlp:events`, a dimension behind the colon. `bad`: the first item that is wrong. */
export function parseInlets(items: readonly string[]): readonly InletSetting[] | { readonly bad: string } {
  const settings: InletSetting[] = [];
  for (const item of items) {
    const [, name = '', dimension] = ITEM.exec(item) ?? [];
    const inlet = INLETS.find((one) => one.name === name);
    const isRepeated = settings.some((setting) => setting.inlet === inlet);
    if (inlet === undefined || isRepeated) return { bad: item };
    settings.push({ inlet, dimension: dimension ?? inlet.defaultDimension });
  }
  return settings;
}
