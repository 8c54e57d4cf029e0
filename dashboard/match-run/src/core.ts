/** `createMatchRun`: one match run at a time, for any framework or none. */

import { type Answer, ask, errorOf, hasMatches, type Run, type RunUnderWay } from "./answers.ts";
import { POLL_MS, pace } from "./pace.ts";
import {
  failed,
  IDLE,
  isFailedRun,
  isUnderWay,
  LOADING,
  MOVES,
  polling,
  ready,
  type Snapshot,
} from "./states.ts";
import { follow } from "./stream.ts";

export interface MatchRunOptions {
  /** In front of `/api/match/run`; by default the page's own origin. */
  readonly baseUrl?: string;
  readonly fetch?: typeof fetch;
  /** Instead of giving up after 30 polls: every 10 s from then on, up to 6 minutes. */
  readonly patient?: boolean;
  /** `false`: polls only, no server-sent events. */
  readonly stream?: boolean;
}

export interface StartOptions {
  /** A new run, even if a ready one would do. */
  readonly fresh?: boolean;
}

export interface MatchRun {
  /**
   * Whoever has had subscribers works only while there is one: without any, requests and timers
   * end, and the next subscriber finds the run going on.
   */
  readonly subscribe: (listener: () => void) => () => void;
  /** The same object until something changes. */
  readonly getSnapshot: () => Snapshot;
  /** The URL that is under way already goes on; another one takes its place. */
  readonly start: (url: string, options?: StartOptions) => void;
  readonly reset: () => void;
}

/** What is under way between `start` and its end. */
interface Task {
  readonly url: string;
  readonly fresh: boolean;
  run: RunUnderWay | null;
  starts: number;
  polls: number;
  /** When patience began; moves on by the time in which nobody looked. */
  since: number;
  asleep: number | null;
  /** When the stream last gave a sign of life. */
  alive: number | null;
  asking: boolean;
  hurry: boolean;
  slow: boolean;
  control: AbortController;
  timer: ReturnType<typeof setTimeout> | undefined;
}

const STARTS_MAX = 3; // each only if the server said when to come back
const SILENCE_MS_MAX = 20_000; // the server gives a sign of life every 15 s

export function createMatchRun(options: MatchRunOptions = {}): MatchRun {
  const { baseUrl = "", patient = false, stream = true } = options;
  const send: typeof fetch = options.fetch ?? ((...args) => globalThis.fetch(...args));
  const address = `${baseUrl.replace(/\/+$/, "")}/api/match/run`;
  const listeners = new Set<() => void>();
  let snapshot: Snapshot = IDLE;
  let task: Task | null = null;
  let deserted = false;

  function show(next: Snapshot): void {
    if (isSame(snapshot, next)) {
      return;
    }
    if (!MOVES[snapshot.status].includes(next.status)) {
      throw new Error(`match run: no move from ${snapshot.status} to ${next.status}`);
    }
    snapshot = next;
    for (const listener of listeners) {
      try {
        listener();
      } catch (error) {
        queueMicrotask(() => {
          throw error; // the listener's fault, and not the end of the run
        });
      }
    }
  }

  function end(next: Snapshot): void {
    drop();
    show(next);
  }

  function drop(): void {
    if (task) {
      sleep(task);
    }
    task = null;
    page()?.removeEventListener("visibilitychange", look);
  }

  function start(url: string, { fresh = false }: StartOptions = {}): void {
    const wanted = url.trim();
    if (task?.url === wanted) {
      return;
    }
    drop();
    const mine: Task = {
      url: wanted,
      fresh,
      run: null,
      starts: 0,
      polls: 0,
      since: Date.now(),
      asleep: Date.now(),
      alive: null,
      asking: false,
      hurry: false,
      slow: false,
      control: new AbortController(),
      timer: undefined,
    };
    task = mine;
    page()?.addEventListener("visibilitychange", look);
    show(LOADING);
    if (task === mine) {
      look();
    }
  }

  /** Wakes what may work now and puts to sleep what may not. */
  function look(): void {
    if (!task) {
      return;
    }
    // Starting is one request, which may as well be answered behind another tab.
    if (deserted || (task.run && page()?.hidden)) {
      sleep(task);
    } else if (task.asleep !== null) {
      wake(task);
    }
  }

  function sleep(mine: Task): void {
    clearTimeout(mine.timer);
    mine.control.abort();
    mine.asleep ??= Date.now();
  }

  function wake(mine: Task): void {
    mine.since += Date.now() - (mine.asleep ?? 0);
    mine.asleep = null;
    mine.control = new AbortController();
    mine.asking = false;
    if (mine.run) {
      listen(mine, mine.run);
      void beat(mine);
    } else {
      void begin(mine);
    }
  }

  async function begin(mine: Task): Promise<void> {
    const { signal } = mine.control;
    mine.starts += 1;
    const answer = await ask(send, address, signal, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ url: mine.url, ...(mine.fresh && { fresh: true }) }),
    });
    if (signal.aborted) {
      return;
    }
    if (answer.kind === "run") {
      mine.since = Date.now();
      learn(mine, answer.run);
      if (task === mine && mine.run) {
        watch(mine, mine.run);
      }
    } else if (answer.kind === "later" && answer.after !== null && mine.starts < STARTS_MAX) {
      mine.timer = setTimeout(() => void begin(mine), answer.after);
    } else {
      end(failed(answer.error, null));
    }
  }

  /** The first time that we know the run. */
  function watch(mine: Task, run: RunUnderWay): void {
    look(); // the page may have been hidden meanwhile
    if (mine.asleep !== null) {
      return;
    }
    if (run.status === "ready") {
      void beat(mine);
    } else {
      listen(mine, run);
      mine.timer = setTimeout(() => void beat(mine), POLL_MS);
    }
  }

  function listen(mine: Task, run: RunUnderWay): void {
    const { signal } = mine.control;
    mine.alive = null;
    if (!stream) {
      return;
    }
    const onLife = () => {
      mine.alive = Date.now();
    };
    const onRun = (found: Run) => {
      if (!signal.aborted) {
        learn(mine, found);
        if (task === mine && mine.run?.status === "ready") {
          hurry(mine);
        }
      }
    };
    void follow(send, `${address}/${run.runId}/events`, signal, onLife, onRun).then(() => {
      if (!signal.aborted) {
        mine.alive = null;
      }
    });
  }

  /** The stream says that it is ready: the matches are fetched now, or after what is under way. */
  function hurry(mine: Task): void {
    mine.hurry = true;
    if (!mine.asking) {
      clearTimeout(mine.timer);
      void beat(mine);
    }
  }

  /** One poll; or none, if the stream is alive and there is nothing to fetch. */
  async function beat(mine: Task): Promise<void> {
    const { signal } = mine.control;
    const run = mine.run as RunUnderWay;
    let later: (Answer & { kind: "later" }) | null = null;
    mine.polls += 1;
    mine.hurry = false;
    const isAlive = mine.alive !== null && Date.now() - mine.alive < SILENCE_MS_MAX;
    if (!isAlive || run.status === "ready") {
      mine.asking = true;
      const answer = await ask(send, `${address}/${run.runId}`, signal);
      if (signal.aborted) {
        return;
      }
      mine.asking = false;
      if (answer.kind === "refused") {
        end(failed(answer.error, run));
      } else if (answer.kind === "run") {
        learn(mine, answer.run);
      } else {
        later = answer;
      }
    }
    if (task === mine) {
      next(mine, later);
    }
  }

  function next(mine: Task, later: (Answer & { kind: "later" }) | null): void {
    const when = pace(mine.polls, Date.now() - mine.since, patient);
    if (!when) {
      end(failed(later?.error ?? TIMED_OUT, mine.run));
      return;
    }
    const wait = mine.hurry ? 0 : Math.max(when.wait, later?.after ?? 0);
    mine.timer = setTimeout(() => void beat(mine), wait);
    mine.slow = when.slow;
    show(polling(mine.run as RunUnderWay, when.slow));
  }

  /** What was said of the run, unless we know better already. */
  function learn(mine: Task, run: Run): void {
    const known = mine.run;
    if (known && (run.runId !== known.runId || isOlder(run, known))) {
      return;
    }
    if (known && hasMatches(run)) {
      end(ready(run));
    } else if (isFailedRun(run)) {
      const code = run.errorCode ?? "RUN_FAILED";
      const message = run.errorMessage ?? "The run failed.";
      end(failed(errorOf(code, message, code !== "STARTUP_NOT_FOUND"), run));
    } else if (isUnderWay(run)) {
      mine.run = run;
      show(polling(run, mine.slow));
    }
  }

  return {
    getSnapshot: () => snapshot,
    start,
    reset() {
      drop();
      show(IDLE);
    },
    subscribe(listener) {
      const one = () => listener();
      listeners.add(one);
      deserted = false;
      look();
      return () => {
        listeners.delete(one);
        // Later, because StrictMode leaves and comes back within one turn.
        queueMicrotask(() => {
          deserted = listeners.size === 0;
          look();
        });
      };
    },
  };
}

const TIMED_OUT = errorOf(
  "TIMED_OUT",
  "The run takes longer than usual. It goes on at the server; trying again finds it.",
);

const page = () => globalThis.document as Document | undefined;

/** An answer that was overtaken. What has ended has ended, whatever the clocks say. */
function isOlder(run: Run, known: RunUnderWay): boolean {
  return (
    !hasEnded(run) && (hasEnded(known) || Date.parse(run.updatedAt) < Date.parse(known.updatedAt))
  );
}

const hasEnded = ({ status }: Run) => status === "ready" || status === "error";

function isSame(one: Snapshot, other: Snapshot): boolean {
  return (
    one === other ||
    (one.status === "polling" &&
      other.status === "polling" &&
      one.stillWorking === other.stillWorking &&
      one.run.status === other.run.status &&
      one.run.updatedAt === other.run.updatedAt)
  );
}
