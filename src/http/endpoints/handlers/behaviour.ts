/**
 * POST /v1/query/funnel, /v1/query/retention and the other questions about behaviour. A handler binds and starts its questions
 * in one turn of the event loop. If one question of a request bypasses the cache, all of them do.
 */
import * as api from '../../../api/index.js';
import type { BehaviourKind } from '../../../ir/index.js';
import { type DatabaseCall, type Handler, type Members, queryOptionsOf } from './handler.js';

export const answerBehaviour =
  (kind: BehaviourKind): Handler<DatabaseCall> =>
  async (call): Promise<Members> => {
    const { engine, body, model, access } = call;
    const questions = call.boundBodies.bind(call, kind, (time) =>
      api.bindBehaviour(kind, api.parseJson(body), model, time, access),
    );
    const bypassCache = questions.some((question) => question.bypassCache);
    const plans = questions.map(({ bound }) => bound.plan);
    call.notes.plans = () => plans.map((plan) => ({ kind: 'behaviour', plan }));
    const answers = await engine.behaviour(plans, queryOptionsOf(call, bypassCache));
    return `"result":${api.behaviourResult(questions, answers)}`;
  };
