/** The tour: all questions, kind by kind. */
import { AGGREGATION_QUESTIONS } from './aggregation-questions.js';
import { COUNT_QUESTIONS } from './count-questions.js';
import { EVENT_QUESTIONS } from './event-questions.js';
import { EXTRACTION_QUESTIONS } from './extraction-questions.js';
import type { Question } from './question.js';

export const QUESTIONS: readonly Question[] = [
  ...COUNT_QUESTIONS,
  ...EVENT_QUESTIONS,
  ...AGGREGATION_QUESTIONS,
  ...EXTRACTION_QUESTIONS,
];
