/** Every move of the table is made, and chance makes no other. */

import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { pace } from "../src/pace.ts";
import { MOVES, type Snapshot, type Status } from "../src/states.ts";
import {
  Events,
  failedRun,
  freeze,
  gone,
  html,
  json,
  never,
  Page,
  pass,
  problem,
  readyRun,
  run,
  scripted,
} from "./scripted.ts";

beforeEach(freeze);
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

type Script = (one: ReturnType<typeof scripted>) => Promise<void> | void;

const start: Script = async ({ match }) => {
  match.start("acme.com");
  await pass(0);
};
const refused: Script = async (one) => {
  one.server.onPost = () => problem(422, "INVALID_URL");
  await start(one);
};
const found: Script = async (one) => {
  one.server.onPoll = () => json(readyRun());
  await start(one);
  await pass(2_000);
};
const then =
  (script: Script, last: Script): Script =>
  async (one) => {
    await script(one);
    await last(one);
  };
const other: Script = ({ match }) => match.start("other.com");
const reset: Script = ({ match }) => match.reset();

const SCRIPTS: Record<string, Script> = {
  "idle loading": start,
  "loading idle": ({ match }) => {
    match.start("acme.com");
    match.reset();
  },
  "loading polling": start,
  "loading error": refused,
  "polling idle": then(start, reset),
  "polling loading": then(start, other),
  "polling polling": then(start, () => pass(2_000)),
  "polling ready": found,
  "polling error": then(start, () => pass(60_000)),
  "ready idle": then(found, reset),
  "ready loading": then(found, other),
  "error idle": then(refused, reset),
  "error loading": then(refused, other),
};

const ALL = Object.entries(MOVES).flatMap(([from, to]) => to.map((one) => `${from} ${one}`));

test("there is a script for each move", () => {
  expect(Object.keys(SCRIPTS).sort()).toEqual([...ALL].sort());
});

test.each(Object.entries(SCRIPTS))("%s", async (move, script) => {
  const one = scripted({ stream: false });
  await script(one);
  expect(moves(one.statuses)).toContain(move);
});

function moves(statuses: Status[]): string[] {
  return statuses.slice(1).map((to, nth) => `${statuses[nth]} ${to}`);
}

/** A small generator, so that a walk can be walked again. */
function chance(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

function isWhole(one: Snapshot): boolean {
  const flags = [one.isIdle, one.isLoading, one.isReady, one.isError].filter(Boolean).length;
  const hasMatches = one.matches !== null && one.matchCount !== null && one.startupName !== null;
  return (
    flags === 1 &&
    hasMatches === (one.status === "ready") &&
    (one.error !== null) === (one.status === "error") &&
    (one.run !== null || !["polling", "ready"].includes(one.status))
  );
}

test.each(Array.from({ length: 40 }, (_, seed) => seed))("walk %i", async (seed) => {
  const random = chance(seed);
  const pick = <T>(choices: readonly T[]): T => choices[Math.floor(random() * choices.length)] as T;
  const page = new Page();
  vi.stubGlobal("document", page);
  const one = scripted({ patient: pick([true, false]), stream: pick([true, false]) });
  const answers = () =>
    pick([
      () => json(run(pick(["queued", "processing", "ready"]), { runId: pick(["a", "b"]) })),
      () => json(readyRun({ runId: pick(["a", "b"]) })),
      () => json(failedRun("INTERNAL", "no")),
      () => problem(pick([404, 422, 500]), "X"),
      () => problem(429, "RATE_LIMITED", { "retry-after": pick(["1", "90"]) }),
      () => html(pick([200, 502])),
      gone,
      never,
    ])();
  one.server.onPost = answers;
  one.server.onPoll = answers;
  let events = new Events();
  one.server.onStream = () => {
    events = new Events();
    return pick([() => events.response, answers])();
  };
  let leave = one.unsubscribe;
  for (let step = 0; step < 80; step += 1) {
    await pick([
      () => one.match.start(pick(["a.com", "b.com"])),
      () => one.match.reset(),
      () => page.show(pick([true, false])),
      () => pass(pick([0, 1_000, 2_000, 15_000, 70_000])),
      () => pass(2_000),
      () => events.send(run(pick(["queued", "ready", "error"]), { runId: pick(["a", "b"]) })),
      () => {
        leave();
        leave = one.match.subscribe(() => undefined);
      },
    ])();
  }
  expect(one.seen.every(isWhole)).toBe(true);
  expect(moves(one.statuses).filter((move) => !ALL.includes(move))).toEqual([]);
  page.show(true);
  await pass(3_600_000);
  expect(["idle", "ready", "error"]).toContain(one.now.status);
  expect(vi.getTimerCount()).toBe(0);
});

test.each([
  [0, 0, false, { wait: 2_000, slow: false }],
  [29, 58_000, false, { wait: 2_000, slow: false }],
  [29, 9_999_999, false, { wait: 2_000, slow: false }],
  [30, 60_000, false, null],
  [30, 60_000, true, { wait: 10_000, slow: true }],
  [59, 355_000, true, { wait: 5_000, slow: true }],
  [60, 360_000, true, null],
  [3, 360_000, true, null],
])("pace after %i polls and %i ms, patient %s", (polls, elapsed, patient, expected) => {
  expect(pace(polls, elapsed, patient)).toEqual(expected);
});
