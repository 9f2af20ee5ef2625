/** A kind of questions about behaviour: how its fields are bound, and how its answer is written. */
import type { Body } from '../../interface/index.js';
import type { BehaviourAnswer, BehaviourScope } from '../../ir/index.js';
import type { AnswerText } from '../query/aggregate-text.js';
import type { QuestionCall, QuestionCallFields } from './question.js';

export interface BoundQuestion {
  readonly scope: BehaviourScope;
  /** Writes the answer as JSON. Throws 9006 if it is too long. */
  readonly write: (text: AnswerText, answer: BehaviourAnswer) => void;
}

export interface QuestionKind<F extends QuestionCallFields> {
  readonly schema: Body<F>;
  /** Throws 506, 4008, 4010, 4040, 4049, 9101 to 9103, and the errors of conditions, windows and predicates. */
  readonly bind: (call: QuestionCall<F>) => BoundQuestion;
}
