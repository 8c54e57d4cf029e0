/** Match runs of Handfast in the browser, without a framework. `./react` has the hook. */

export type {
  ErrorCode,
  FailedRun,
  Match,
  MatchRunError,
  ReadyRun,
  Run,
  RunStatus,
  RunStep,
  RunUnderWay,
  Signal,
  Startup,
} from "./answers.ts";
export { createMatchRun, type MatchRun, type MatchRunOptions, type StartOptions } from "./core.ts";
export type { Failed, Idle, Loading, Polling, Ready, Snapshot, Status } from "./states.ts";
