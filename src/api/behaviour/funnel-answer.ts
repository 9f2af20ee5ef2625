/** The answer of a funnel as JSON text. */
import {
  type BehaviourAnswer,
  type BehaviourScope,
  type FunnelQuestion,
  periodCount,
} from '../../ir/index.js';
import { formatDateTime } from '../../schema/index.js';
import type { AnswerText } from '../query/aggregate-text.js';
import { betweenText, writeGroups } from './breakdown.js';
import { histogramText, ratioText, samplesOf, statsText } from './numbers.js';

export interface FunnelAnswerForm {
  readonly plan: BehaviourScope;
  /** The names of the steps. */
  readonly names: readonly string[];
  /** Classes of the last step's seconds; null = none. */
  readonly histogram: number | null;
}

export function writeFunnel(text: AnswerText, form: FunnelAnswerForm, answer: BehaviourAnswer): void {
  const { plan, names } = form;
  const writeSteps = (slot: number): void => {
    text.writeAll('"steps":[', [...names.keys()], ']', (step) => {
      text.write(stepText(form, answer, slot, step));
    });
  };
  text.write('{');
  writeSteps(0);
  writeGroups(text, plan, answer, (slot) => answer.counts[slot], writeSteps);
  const periods = Array.from({ length: periodCount(plan.periods) }, (_, period) => period);
  if (plan.periods.length > 0 || periods.length > 0) {
    text.writeAll(',"series":[', periods, ']', (period) => {
      const [start, end] = plan.periods.slice(period, period + 2).map(formatDateTime);
      text.write(`{${betweenText(start, end)},`);
      writeSteps((period + 1) * names.length);
      text.write('}');
    });
  }
  text.write('}');
}

function stepText(
  { plan, names, histogram }: FunnelAnswerForm,
  { counts, samples }: BehaviourAnswer,
  slot: number,
  step: number,
): string {
  const count = counts[slot + step];
  const head = `{"name":${JSON.stringify(names[step])},"count":${count}`;
  const conversion = `,"conversion":${ratioText(count, counts[slot])}`;
  if (step === 0) return `${head}${conversion},"step-conversion":null}`;
  const { optional } = plan.question as FunnelQuestion;
  let before = step - 1;
  while (optional[before]) before--;
  const own = samplesOf(samples, slot + step);
  const members = [
    `${head}${conversion}`,
    `"step-conversion":${ratioText(count, counts[slot + before])}`,
    `"seconds":${statsText(own)}`,
  ];
  if (histogram !== null && step === names.length - 1) {
    members.push(`"histogram":${histogramText(own, histogram)}`);
  }
  return `${members.join(',')}}`;
}
