/** The form of answers to questions about behaviour. */
import type { Json, JsonObject } from '../server/json.js';

export interface Seconds {
  readonly avg: number | null;
  readonly median: number | null;
  readonly p90: number | null;
}
export interface FunnelStep {
  readonly name: string;
  readonly count: number;
  readonly conversion: number | null;
  readonly 'step-conversion': number | null;
  readonly seconds?: Seconds;
  readonly histogram?: readonly { readonly from: number; readonly to: number; readonly count: number }[];
}
/** A value of a breakdown: `value`, or `others`. */
export interface Group {
  readonly value?: string | null;
  readonly others?: true;
}
export interface FunnelGroup extends Group {
  readonly steps: readonly FunnelStep[];
}
export interface Funnel {
  readonly steps: readonly FunnelStep[];
  readonly groups?: readonly FunnelGroup[];
}
export interface Cohort {
  readonly between: readonly [string, string];
  readonly size: number;
  readonly counts: readonly number[];
}
export interface Retention {
  readonly cohorts: readonly Cohort[];
  readonly total: {
    readonly size: number;
    readonly counts: readonly number[];
    readonly ratios: readonly (number | null)[];
  };
}
export interface LifecyclePeriod {
  readonly between: readonly [string, string];
  readonly new: number;
  readonly returning: number;
  readonly resurrecting: number;
  readonly dormant: number;
}
export interface FlowNode {
  readonly column?: string;
  readonly value?: string;
  readonly others?: true;
  readonly count: number;
}
export interface FlowLink {
  readonly level: number;
  readonly from: number;
  readonly to: number;
  readonly count: number;
  readonly 'median-seconds': number | null;
}
export interface Flow {
  readonly levels: readonly { readonly nodes: readonly FlowNode[]; readonly ended: number }[];
  readonly links: readonly FlowLink[];
}
export interface TimelineEvent {
  readonly date: string;
  readonly column?: string;
  readonly relation?: string;
  readonly value?: Json;
  readonly values?: JsonObject;
}
export interface Stickiness {
  readonly counts: readonly { readonly active: number; readonly count: number }[];
}
export interface SessionStats {
  readonly sessions: number;
  readonly entities: number;
  readonly 'single-event': number;
  readonly seconds: Seconds;
  readonly events: Seconds;
}
export interface Sessions extends SessionStats {
  readonly series?: readonly (SessionStats & { readonly between: readonly [string, string] })[];
  readonly groups?: readonly (SessionStats & Group)[];
}
export interface Actives {
  readonly series: readonly {
    readonly between: readonly [string, string];
    readonly count: number;
    readonly rolling?: number;
  }[];
}
export interface Overlap {
  readonly segments: readonly { readonly name: string; readonly count: number }[];
  readonly combinations: readonly { readonly in: readonly string[]; readonly count: number }[];
}
/** A value by which two segments differ; the lists have a number for each of them. */
export interface ComparedValue {
  readonly column: string;
  readonly value: string;
  readonly counts: readonly number[];
  readonly shares: readonly (number | null)[];
  readonly lift: number | null;
  readonly 'p-value': number | null;
}
