// @vitest-environment happy-dom
/** The hook: in StrictMode and without, left in every state, shared, and on a server. */

import { act, StrictMode, useEffect } from "react";
import { createRoot, type Root } from "react-dom/client";
import { renderToString } from "react-dom/server";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createMatchRun, type MatchRun } from "../src/core.ts";
import { type UseMatchRun, useMatchRun } from "../src/react.ts";
import { freeze, json, never, pass, problem, readyRun, run, ScriptedServer } from "./scripted.ts";

vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true);

let server: ScriptedServer;
let root: Root;
let shown: UseMatchRun;
let complaints: ReturnType<typeof vi.spyOn>;

beforeEach(() => {
  freeze();
  server = new ScriptedServer();
  root = createRoot(document.createElement("div"));
  complaints = vi.spyOn(console, "error");
});

afterEach(async () => {
  await act(() => root.unmount());
  expect(complaints).not.toHaveBeenCalled();
  complaints.mockRestore();
  vi.useRealTimers();
});

function Asks({ url, stream = false }: { url?: string; stream?: boolean }) {
  const match = useMatchRun({ fetch: server.fetch, stream });
  const { startMatch } = match;
  shown = match;
  useEffect(() => {
    if (url) {
      startMatch(url);
    }
  }, [url, startMatch]);
  return <p>{match.status}</p>;
}

const seen: Record<string, UseMatchRun> = {};

function Sees({ name, match }: { name: string; match: MatchRun }) {
  seen[name] = useMatchRun(match);
  return null;
}

const later = (milliseconds: number) => act(() => pass(milliseconds));

describe.each([
  ["StrictMode", true],
  ["no StrictMode", false],
])("in %s", (_, isStrict) => {
  const render = (what: React.ReactNode) =>
    act(() => root.render(isStrict ? <StrictMode>{what}</StrictMode> : what));

  test("a run's life", async () => {
    server.onPoll = (_asked, nth) => json(nth === 2 ? readyRun() : run());
    await render(<Asks />);
    expect(shown).toMatchObject({ status: "idle", isIdle: true, matches: null });
    const { startMatch, reset } = shown;
    await act(async () => startMatch("acme.com"));
    await later(0);
    expect(shown).toMatchObject({ status: "polling", isLoading: true });
    await later(4_000);
    expect(shown).toMatchObject({ status: "ready", startupName: "Acme", matchCount: 212 });
    expect([shown.startMatch, shown.reset]).toEqual([startMatch, reset]);
    await act(async () => reset());
    expect(shown.status).toBe("idle");
    expect([server.posts.length, server.polls.length]).toEqual([1, 2]);
  });

  test("started by an effect, it is asked for once", async () => {
    await render(<Asks url="acme.com" />);
    await later(0);
    expect(server.posts.map((asked) => asked.signal.aborted)).toEqual([false]);
    await later(4_000);
    expect(server.polls.length).toBe(2);
  });

  test("two starts in a row, in one turn", async () => {
    await render(<Asks />);
    await act(async () => {
      shown.startMatch("one.com");
      shown.startMatch("two.com");
      shown.startMatch("two.com");
    });
    await later(0);
    expect(server.posts.map((asked) => [asked.body?.url, asked.signal.aborted])).toEqual([
      ["one.com", true],
      ["two.com", false],
    ]);
    expect(shown.status).toBe("polling");
  });

  test.each([
    ["idle", 0],
    ["loading", 1],
    ["polling", 2],
    ["ready", 2],
    ["error", 1],
  ])("unmounted in %s, nothing is left", async (state, asked) => {
    if (state === "loading") {
      server.onPost = never;
    } else if (state === "error") {
      server.onPost = () => problem(422, "INVALID_URL");
    }
    server.onPoll = () => (state === "ready" ? json(readyRun()) : never());
    await render(<Asks {...(state !== "idle" && { url: "acme.com" })} />);
    await later(2_000);
    expect(shown.status).toBe(state);
    await render(null);
    await later(0);
    expect(vi.getTimerCount()).toBe(0);
    if (state === "loading") {
      expect(server.posts[0]?.signal.aborted).toBe(true);
    }
    if (state === "polling") {
      expect(server.polls[0]?.signal.aborted).toBe(true);
    }
    shown.startMatch("late.com"); // somebody held on to it
    await later(600_000);
    expect(server.asked).toBe(asked);
  });

  test("one run for several components", async () => {
    const match = createMatchRun({ fetch: server.fetch, stream: false });
    await render([
      <Sees key="a" name="a" match={match} />,
      <Sees key="b" name="b" match={match} />,
    ]);
    await act(async () => match.start("acme.com"));
    await later(0);
    expect([seen.a?.status, seen.b?.status]).toEqual(["polling", "polling"]);
    await render([<Sees key="b" name="b" match={match} />]);
    await later(2_000);
    expect(server.polls.length).toBe(1);
    await render(null);
    await later(60_000);
    expect(server.polls.length).toBe(1);
    server.onPoll = () => json(readyRun());
    await render([<Sees key="c" name="c" match={match} />]);
    await later(0);
    expect(seen.c?.status).toBe("ready");
  });

  test("a hidden page", async () => {
    await render(<Asks url="acme.com" />);
    await later(2_000);
    const hidden = vi.spyOn(document, "hidden", "get").mockReturnValue(true);
    document.dispatchEvent(new Event("visibilitychange"));
    await later(60_000);
    expect(server.polls.length).toBe(1);
    hidden.mockReturnValue(false);
    document.dispatchEvent(new Event("visibilitychange"));
    await later(0);
    expect(server.polls.length).toBe(2);
    hidden.mockRestore();
  });
});

test("on a server it is idle, and asks nothing", () => {
  expect(renderToString(<Asks url="acme.com" />)).toBe("<p>idle</p>");
  expect(server.asked).toBe(0);
});
