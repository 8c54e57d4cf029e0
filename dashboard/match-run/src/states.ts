/** The states of the hook and the moves between them; docs/guides/use-match-run.md draws them. */

import type { FailedRun, Match, MatchRunError, ReadyRun, Run, RunUnderWay } from "./answers.ts";

export type Status = "idle" | "loading" | "polling" | "ready" | "error";

/** Every move that there is; from `polling` to itself is progress. */
export const MOVES: Readonly<Record<Status, readonly Status[]>> = {
  idle: ["loading"],
  loading: ["idle", "polling", "error"],
  polling: ["idle", "loading", "polling", "ready", "error"],
  ready: ["idle", "loading"],
  error: ["idle", "loading"],
};

interface Flags<S extends Status> {
  readonly status: S;
  readonly isIdle: S extends "idle" ? true : false;
  readonly isLoading: S extends "loading" | "polling" ? true : false;
  readonly isReady: S extends "ready" ? true : false;
  readonly isError: S extends "error" ? true : false;
}

interface NoMatches {
  readonly matches: null;
  readonly matchCount: null;
  readonly startupName: null;
}

interface Calm {
  readonly error: null;
  readonly stillWorking: false;
}

export interface Idle extends Flags<"idle">, NoMatches, Calm {
  readonly run: null;
}

/** Asked for; the server has not said which run it is. */
export interface Loading extends Flags<"loading">, NoMatches, Calm {
  readonly run: null;
}

export interface Polling extends Flags<"polling">, NoMatches {
  readonly run: RunUnderWay;
  readonly error: null;
  /** Patient mode: it takes longer than usual, and is asked for less often. */
  readonly stillWorking: boolean;
}

export interface Ready extends Flags<"ready">, Calm {
  readonly run: ReadyRun;
  readonly matches: readonly Match[];
  readonly matchCount: number;
  readonly startupName: string;
}

/** `run` is there if the server had said which: it failed, or goes on without us. */
export interface Failed extends Flags<"error">, NoMatches {
  readonly run: RunUnderWay | FailedRun | null;
  readonly error: MatchRunError;
  readonly stillWorking: false;
}

export type Snapshot = Idle | Loading | Polling | Ready | Failed;

const NOTHING = { run: null, matches: null, matchCount: null, startupName: null } as const;
const NO_FLAG = { isIdle: false, isLoading: false, isReady: false, isError: false } as const;
const CALM = { error: null, stillWorking: false } as const;

export const IDLE: Idle = { ...NOTHING, ...CALM, ...NO_FLAG, status: "idle", isIdle: true };

export const LOADING: Loading = {
  ...NOTHING,
  ...CALM,
  ...NO_FLAG,
  status: "loading",
  isLoading: true,
};

export function polling(run: RunUnderWay, stillWorking: boolean): Polling {
  return {
    ...NOTHING,
    ...CALM,
    ...NO_FLAG,
    status: "polling",
    isLoading: true,
    run,
    stillWorking,
  };
}

export function ready(run: ReadyRun): Ready {
  return {
    ...CALM,
    ...NO_FLAG,
    status: "ready",
    isReady: true,
    run,
    matches: run.matches,
    matchCount: run.matchCount ?? run.matches.length,
    startupName: run.startup.name,
  };
}

export function failed(error: MatchRunError, run: RunUnderWay | FailedRun | null): Failed {
  return { ...NOTHING, ...CALM, ...NO_FLAG, status: "error", isError: true, run, error };
}

export function isFailedRun(run: Run): run is FailedRun {
  return run.status === "error";
}

export function isUnderWay(run: Run): run is RunUnderWay {
  return run.status !== "error";
}
