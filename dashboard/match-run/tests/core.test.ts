/** The core in frozen time: both modes, what a server may do wrong, who leaves when. */

import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createMatchRun } from "../src/core.ts";
import {
  failedRun,
  freeze,
  gone,
  held,
  html,
  json,
  never,
  pass,
  problem,
  RUN_ID,
  readyRun,
  run,
  scripted,
  settle,
} from "./scripted.ts";

beforeEach(freeze);
afterEach(() => vi.useRealTimers());

describe("a run's life by polls", () => {
  test("asked for, polled every two seconds, ready", async () => {
    const one = scripted({ stream: false });
    const { server, match, seen } = one;
    server.onPoll = (_, nth) => json(nth === 3 ? readyRun() : run());
    match.start(" acme.com ");
    expect(match.getSnapshot()).toMatchObject({ status: "loading", isLoading: true, run: null });
    await settle();
    expect(match.getSnapshot()).toMatchObject({
      status: "polling",
      isLoading: true,
      run: { runId: RUN_ID, status: "queued" },
      stillWorking: false,
    });
    await pass(6_000);
    expect(server.posts.map((asked) => [asked.url, asked.body])).toEqual([
      ["http://handfast/api/match/run", { url: "acme.com" }],
    ]);
    expect(server.polls.map((asked) => asked.at)).toEqual([2_000, 4_000, 6_000]);
    expect(server.polls[0]?.url).toBe(`http://handfast/api/match/run/${RUN_ID}`);
    expect(match.getSnapshot()).toMatchObject({
      status: "ready",
      isReady: true,
      isLoading: false,
      matchCount: 212,
      startupName: "Acme",
      matches: [{ investorId: "inv-1" }],
      error: null,
    });
    expect(seen.at(-1)).toBe(match.getSnapshot());
    expect(one.statuses).toEqual(["idle", "loading", "polling", "polling", "ready"]);
    await pass(600_000);
    expect(server.asked).toBe(4);
    expect(vi.getTimerCount()).toBe(0);
  });

  test("an answer that is there already is fetched at once", async () => {
    const one = scripted();
    one.server.onPost = () => json(run("ready", { matchCount: 212 }));
    one.server.onPoll = () => json(readyRun());
    one.match.start("acme.com");
    await settle();
    expect(one.statuses).toEqual(["idle", "loading", "polling", "ready"]);
    expect([one.server.polls.length, one.server.streams.length]).toEqual([1, 0]);
  });

  test("fresh is handed on", async () => {
    const { server, match } = scripted();
    match.start("acme.com", { fresh: true });
    await settle();
    expect(server.posts[0]?.body).toEqual({ url: "acme.com", fresh: true });
  });

  test("without a base URL it is the page's own origin, by the page's own fetch", async () => {
    const calls: unknown[] = [];
    vi.stubGlobal("fetch", (url: unknown) => {
      calls.push(url);
      return never();
    });
    createMatchRun().start("acme.com");
    createMatchRun({ baseUrl: "/behind//" }).start("acme.com");
    await settle();
    expect(calls).toEqual(["/api/match/run", "/behind/api/match/run"]);
    vi.unstubAllGlobals();
  });

  test("snapshots stay the same object until something changes", async () => {
    const one = scripted({ stream: false });
    one.match.start("acme.com");
    await pass(2_000);
    const before = one.now;
    await pass(20_000);
    expect(one.now).toBe(before);
    one.server.onPoll = () =>
      json(run("processing", { step: "rank", updatedAt: "2026-03-02T09:00:30Z" }));
    await pass(2_000);
    expect(one.now.run?.step).toBe("rank");
    expect(one.statuses).toEqual(["idle", "loading", "polling", "polling", "polling"]);
  });
});

describe("the failsafe", () => {
  test("after 30 polls, and trying again finds the same run", async () => {
    const one = scripted({ stream: false });
    one.match.start("acme.com");
    await pass(59_999);
    expect([one.server.polls.length, one.now.status]).toEqual([29, "polling"]);
    await pass(1);
    expect(one.server.polls.length).toBe(30);
    expect(one.now).toMatchObject({
      status: "error",
      error: { code: "TIMED_OUT", retryable: true, status: null },
      run: { runId: RUN_ID },
      matches: null,
    });
    await pass(600_000);
    expect(one.server.asked).toBe(31);
    one.server.onPoll = () => json(readyRun());
    one.match.start("acme.com");
    await pass(2_000);
    expect(one.server.posts.length).toBe(2);
    expect(one.now).toMatchObject({ status: "ready", run: { runId: RUN_ID } });
  });

  test("the thirtieth poll may still bring it", async () => {
    const one = scripted({ stream: false });
    one.server.onPoll = (_, nth) => json(nth === 30 ? readyRun() : run());
    one.match.start("acme.com");
    await pass(60_000);
    expect(one.now.status).toBe("ready");
  });
});

describe("patient mode", () => {
  test("slows to 10 s, says that it is still working, stops after 6 minutes", async () => {
    const one = scripted({ stream: false, patient: true });
    one.match.start("acme.com");
    await pass(59_999);
    expect(one.now).toMatchObject({ status: "polling", stillWorking: false });
    await pass(1);
    expect(one.now).toMatchObject({ status: "polling", stillWorking: true, error: null });
    await pass(299_999);
    expect(one.now.status).toBe("polling");
    await pass(1);
    expect(one.now).toMatchObject({ status: "error", error: { code: "TIMED_OUT" } });
    const quick = Array.from({ length: 30 }, (_, nth) => (nth + 1) * 2_000);
    const slow = Array.from({ length: 30 }, (_, nth) => 60_000 + (nth + 1) * 10_000);
    expect(one.server.polls.map((asked) => asked.at)).toEqual([...quick, ...slow]);
    await pass(600_000);
    expect([one.server.polls.length, vi.getTimerCount()]).toEqual([60, 0]);
  });

  test("a notice is no end: what comes later is taken", async () => {
    const one = scripted({ stream: false, patient: true });
    one.server.onPoll = (_, nth) => json(nth === 40 ? readyRun() : run());
    one.match.start("acme.com");
    await pass(160_000);
    expect(one.now).toMatchObject({ status: "ready", stillWorking: false });
  });

  test("a server that hangs does not stretch the six minutes", async () => {
    const one = scripted({ stream: false, patient: true });
    one.server.onPoll = never;
    one.match.start("acme.com");
    await pass(360_000 + 15_000);
    expect(one.now).toMatchObject({ status: "error", error: { code: "UNREACHABLE" } });
  });
});

describe("what a server may do wrong", () => {
  test.each([
    ["a URL that is refused", () => problem(422, "INVALID_URL"), "INVALID_URL", false, 422],
    ["HTML instead of JSON", () => html(), "BAD_ANSWER", true, 200],
    ["JSON that is no run", () => json({ hello: 1 }), "BAD_ANSWER", true, 200],
    ["null", () => json(null), "BAD_ANSWER", true, 200],
    ["an unknown status", () => json(run("sleeping")), "BAD_ANSWER", true, 200],
    ["an error page", () => html(502), "BAD_ANSWER", true, 502],
    ["nobody there", gone, "UNREACHABLE", true, null],
    ["too many requests, for hours", () => limited("7200"), "RATE_LIMITED", true, 429],
    ["a failure that is told", () => problem(500, "INTERNAL"), "INTERNAL", true, 500],
  ])("when it is asked to start: %s", async (_, answer, code, retryable, status) => {
    const one = scripted();
    one.server.onPost = answer;
    one.match.start("acme.com");
    await pass(600_000);
    expect(one.now).toMatchObject({
      status: "error",
      isError: true,
      run: null,
      error: { code, retryable, status },
    });
    expect((one.now.error?.message ?? "").length).toBeGreaterThan(5);
    expect(one.server.asked).toBe(1);
  });

  test.each([
    ["gone", gone],
    ["answering HTML", () => html()],
    ["answering errors", () => problem(503, "DATABASE_UNAVAILABLE")],
    ["answering error pages", () => html(502)],
  ])("a server that is %s for ten polls", async (_, answer) => {
    const one = scripted({ stream: false });
    one.server.onPoll = (_asked, nth) => (nth <= 10 ? answer() : json(readyRun()));
    one.match.start("acme.com");
    await pass(20_000);
    expect([one.server.polls.length, one.now.status]).toEqual([10, "polling"]);
    await pass(2_000);
    expect(one.now.status).toBe("ready");
  });

  test("a server that stays away is told apart from a run that is slow", async () => {
    const one = scripted({ stream: false });
    one.server.onPoll = gone;
    one.match.start("acme.com");
    await pass(60_000);
    expect(one.now).toMatchObject({
      status: "error",
      error: { code: "UNREACHABLE" },
      run: { runId: RUN_ID },
    });
  });

  test.each([
    [404, "NOT_FOUND", true],
    [410, "CORPUS_RETIRED", true],
    [403, "FORBIDDEN", false],
  ])("a poll that is refused with %i ends it", async (status, code, retryable) => {
    const one = scripted({ stream: false });
    one.server.onPoll = () => problem(status, code);
    one.match.start("acme.com");
    await pass(600_000);
    expect(one.now).toMatchObject({ status: "error", error: { code, retryable, status } });
    expect(one.server.polls.length).toBe(1);
  });

  test.each([
    ["STARTUP_NOT_FOUND", false],
    ["INTERNAL", true],
  ])("a run that ends in %s", async (code, retryable) => {
    const one = scripted({ stream: false });
    one.server.onPoll = () => json(failedRun(code, "Nobody knows it."));
    one.match.start("acme.com");
    await pass(2_000);
    expect(one.now).toMatchObject({
      status: "error",
      error: { code, message: "Nobody knows it.", retryable },
      run: { status: "error" },
    });
  });

  test("an error that is known already is no poll", async () => {
    const one = scripted();
    one.server.onPost = () => json(failedRun("STARTUP_NOT_FOUND", "Nobody knows it."));
    one.match.start("acme.com");
    await pass(600_000);
    expect(one.statuses).toEqual(["idle", "loading", "error"]);
    expect(one.server.asked).toBe(1);
  });

  test("a run that failed without a word", async () => {
    const one = scripted();
    one.server.onPost = () => json(run("error"));
    one.match.start("acme.com");
    await settle();
    expect(one.now.error).toMatchObject({ code: "RUN_FAILED", retryable: true });
  });

  test("requests that hang are given up after 15 s, also by a fetch that takes no signals", async () => {
    const one = scripted({ stream: false });
    one.server.onPost = never;
    one.match.start("acme.com");
    await pass(14_999);
    expect([one.now.status, one.server.posts[0]?.signal.aborted]).toEqual(["loading", false]);
    await pass(1);
    expect(one.now.error?.code).toBe("UNREACHABLE");
    expect(one.server.posts[0]?.signal.aborted).toBe(true);

    one.server.onPost = () => json(run("queued"), 202);
    one.server.onPoll = (_, nth) => (nth === 1 ? never() : json(readyRun()));
    one.match.start("acme.com");
    await pass(2_000 + 15_000 + 2_000);
    expect(one.now.status).toBe("ready");
  });

  test("a ready run without its matches is asked for again", async () => {
    const one = scripted({ stream: false });
    one.server.onPoll = (_, nth) => json(nth < 3 ? run("ready") : readyRun());
    one.match.start("acme.com");
    await pass(6_000);
    expect([one.now.status, one.server.polls.length]).toEqual(["ready", 3]);
  });
});

function limited(after: string): Response {
  return problem(429, "RATE_LIMITED", { "retry-after": after });
}

describe("Retry-After", () => {
  test.each([
    ["7", 7_000],
    ["Mon, 02 Mar 2026 09:00:09 GMT", 7_000],
    ["0", 2_000],
    ["soon", 2_000],
  ])("of a poll: %s", async (after, wait) => {
    const one = scripted({ stream: false });
    one.server.onPoll = (_, nth) => (nth === 1 ? limited(after) : json(run()));
    one.match.start("acme.com");
    await pass(2_000 + wait);
    expect(one.server.polls.map((asked) => asked.at)).toEqual([2_000, 2_000 + wait]);
  });

  test("of a start: waited for, twice", async () => {
    const one = scripted();
    one.server.onPost = () =>
      one.server.posts.length < 3 ? limited("5") : json(run("queued"), 202);
    one.match.start("acme.com");
    await pass(9_999);
    expect([one.now.status, one.server.posts.length]).toEqual(["loading", 2]);
    await pass(1);
    expect(one.now.status).toBe("polling");
    one.server.onPost = () => limited("5");
    one.match.start("other.com");
    await pass(60_000);
    expect(one.now).toMatchObject({ status: "error", error: { code: "RATE_LIMITED" } });
    expect(one.server.posts.length).toBe(6);
  });

  test("longer than a minute is an error that says so", async () => {
    const one = scripted({ stream: false });
    one.server.onPoll = () => limited("61");
    one.match.start("acme.com");
    await pass(2_000);
    expect(one.now).toMatchObject({ status: "error", error: { code: "RATE_LIMITED" } });
  });
});

describe("starting again", () => {
  test("the same URL while it loads or polls is the same run", async () => {
    const one = scripted();
    one.match.start("acme.com");
    one.match.start("acme.com ");
    await settle();
    const before = one.now;
    one.match.start("acme.com");
    one.match.start("acme.com", { fresh: true });
    await settle();
    expect(one.server.posts.length).toBe(1);
    expect(one.now).toBe(before);
  });

  test("two starts in a row: the last one counts, whoever answers first", async () => {
    const one = scripted({ stream: false });
    const first = held();
    const second = held();
    one.server.onPost = (asked) => (asked.body?.url === "one.com" ? first : second).answer;
    one.match.start("one.com");
    one.match.start("two.com");
    await settle();
    expect(one.server.posts[0]?.signal.aborted).toBe(true);
    second.say(json(run("queued", { runId: "two" }), 202));
    await settle();
    first.say(json(run("queued", { runId: "one" }), 202));
    await pass(2_000);
    expect(one.now.run?.runId).toBe("two");
    expect(one.server.polls.map((asked) => asked.url)).toEqual([
      "http://handfast/api/match/run/two",
    ]);
    expect(one.statuses).toEqual(["idle", "loading", "polling"]);
  });

  test("another URL while one polls: its late answer changes nothing", async () => {
    const one = scripted({ stream: false });
    const late = held();
    one.server.onPoll = () => late.answer;
    one.match.start("one.com");
    await pass(2_000);
    one.server.onPost = () => json(run("queued", { runId: "two" }), 202);
    one.match.start("two.com");
    expect(one.now).toMatchObject({ status: "loading", run: null });
    late.say(json(readyRun()));
    await settle();
    expect(one.now).toMatchObject({ status: "polling", run: { runId: "two" } });
  });

  test("an answer about another run is not taken for ours", async () => {
    const one = scripted({ stream: false });
    one.server.onPoll = (_, nth) => json(nth === 1 ? readyRun({ runId: "other" }) : readyRun());
    one.match.start("acme.com");
    await pass(2_000);
    expect(one.now.status).toBe("polling");
    await pass(2_000);
    expect(one.now).toMatchObject({ status: "ready", run: { runId: RUN_ID } });
  });
});

describe("reset", () => {
  test.each(["idle", "loading", "polling", "ready", "error"])("from %s", async (state) => {
    const one = scripted();
    await bring(one, state);
    one.match.reset();
    expect(one.now).toMatchObject({ status: "idle", isIdle: true, run: null, error: null });
    const asked = one.server.asked;
    await pass(600_000);
    expect([one.now.status, one.server.asked, vi.getTimerCount()]).toEqual(["idle", asked, 0]);
    if (state === "loading") {
      expect(one.server.posts[0]?.signal.aborted).toBe(true);
    }
    if (state === "polling") {
      expect(one.server.polls[0]?.signal.aborted).toBe(true);
      expect(one.server.streams[0]?.signal.aborted).toBe(true);
    }
  });
});

type Scripted = ReturnType<typeof scripted>;

async function bring(one: Scripted, state: string): Promise<void> {
  if (state === "idle") {
    return;
  }
  if (state === "loading") {
    one.server.onPost = never;
  } else if (state === "error") {
    one.server.onPost = () => problem(422, "INVALID_URL");
  } else {
    one.server.onPoll = () => (state === "ready" ? json(readyRun()) : never());
    one.server.onStream = never;
  }
  one.match.start("acme.com");
  await pass(2_000);
  expect(one.now.status).toBe(state);
}

describe("who leaves, and who comes back", () => {
  test.each(["idle", "loading", "polling", "ready", "error"])("in %s", async (state) => {
    const one = scripted();
    await bring(one, state);
    const before = one.now;
    one.unsubscribe();
    one.unsubscribe(); // twice is once
    await settle();
    const asked = one.server.asked;
    expect(vi.getTimerCount()).toBe(0);
    if (state === "loading") {
      expect(one.server.posts[0]?.signal.aborted).toBe(true);
    }
    if (state === "polling") {
      expect(one.server.polls[0]?.signal.aborted).toBe(true);
      expect(one.server.streams[0]?.signal.aborted).toBe(true);
    }
    await pass(600_000);
    expect([one.server.asked, one.now]).toEqual([asked, before]);

    one.server.onPost = () => json(run("queued"), 202);
    one.server.onPoll = () => json(readyRun());
    const leave = one.match.subscribe(() => undefined);
    await pass(2_000);
    const ends: Record<string, string> = { idle: "idle", error: "error" };
    expect(one.now.status).toBe(ends[state] ?? "ready");
    leave();
  });

  test("a start when everybody has left waits for somebody", async () => {
    const one = scripted({ stream: false });
    one.unsubscribe();
    await settle();
    one.match.start("acme.com");
    await pass(600_000);
    expect([one.now.status, one.server.asked]).toEqual(["loading", 0]);
    one.match.subscribe(() => undefined);
    await settle();
    expect(one.now.status).toBe("polling");
  });

  test("whoever never subscribed is served too", async () => {
    const one = scripted({ stream: false });
    const alone = createMatchRun({ fetch: one.server.fetch, stream: false });
    one.server.onPoll = () => json(readyRun());
    alone.start("acme.com");
    await pass(2_000);
    expect(alone.getSnapshot().status).toBe("ready");
  });

  test("one of two leaves: it goes on", async () => {
    const one = scripted({ stream: false });
    const leave = one.match.subscribe(() => undefined);
    one.match.start("acme.com");
    await settle();
    leave();
    await pass(4_000);
    expect(one.server.polls.length).toBe(2);
  });

  test("leaving and coming back within one turn disturbs nothing", async () => {
    const one = scripted();
    one.server.onPost = never;
    one.match.start("acme.com");
    one.unsubscribe();
    one.match.subscribe(() => undefined);
    await settle();
    expect(one.server.posts.map((asked) => asked.signal.aborted)).toEqual([false]);
  });
});

describe("listeners", () => {
  test("may reset or start from within", async () => {
    for (const status of ["loading", "polling", "ready"]) {
      const one = scripted({ stream: false });
      one.server.onPoll = () => json(readyRun());
      one.match.subscribe(() => {
        if (one.now.status === status) {
          one.match.reset();
        }
      });
      one.match.start("acme.com");
      await pass(60_000);
      expect([one.now.status, vi.getTimerCount()]).toEqual(["idle", 0]);
    }
    const other = scripted({ stream: false });
    let isFirst = true;
    other.match.subscribe(() => {
      if (isFirst) {
        isFirst = false;
        other.match.start("two.com");
      }
    });
    other.match.start("one.com");
    await settle();
    expect(other.server.posts.map((asked) => asked.body?.url)).toEqual(["two.com"]);
  });

  test("one that throws does not end the run", async () => {
    const thrown: unknown[] = [];
    vi.stubGlobal("queueMicrotask", (task: () => void) => {
      try {
        task();
      } catch (error) {
        thrown.push(error); // where a page's own handler would hear of it
      }
    });
    const one = scripted({ stream: false });
    one.server.onPoll = () => json(readyRun());
    one.match.subscribe(() => {
      throw new Error("mine");
    });
    one.match.start("acme.com");
    await pass(2_000);
    vi.unstubAllGlobals();
    expect(one.now.status).toBe("ready");
    expect(thrown.map(String)).toEqual(["Error: mine", "Error: mine", "Error: mine"]);
  });
});
