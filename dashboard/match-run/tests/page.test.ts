/** Nobody looks: a hidden page asks nothing, and time does not count against the run. */

import { afterEach, beforeEach, expect, test, vi } from "vitest";
import {
  Events,
  freeze,
  html,
  json,
  Page,
  pass,
  readyRun,
  run,
  scripted,
  settle,
} from "./scripted.ts";

let page: Page;

beforeEach(() => {
  freeze();
  page = new Page();
  vi.stubGlobal("document", page);
});

afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

test("hidden, nothing is asked; shown, at once", async () => {
  const one = scripted({ stream: false });
  one.match.start("acme.com");
  await pass(5_000);
  page.show(false);
  await pass(3_600_000);
  expect([one.server.polls.length, one.now.status, vi.getTimerCount()]).toEqual([2, "polling", 0]);
  one.server.onPoll = () => json(readyRun());
  page.show(true);
  await settle();
  expect([one.server.polls.length, one.now.status]).toEqual([3, "ready"]);
});

test("the stream is let go, and made again", async () => {
  const one = scripted();
  const streams = [new Events(), new Events()];
  one.server.onStream = (_, nth) => streams[nth - 1]?.response ?? html(404);
  one.match.start("acme.com");
  await settle();
  page.show(false);
  await settle();
  expect([streams[0]?.wasCancelled, one.server.streams[0]?.signal.aborted]).toEqual([true, true]);
  page.show(true);
  page.show(true); // some browsers say it twice
  await settle();
  expect(one.server.streams.length).toBe(2);
  streams[1]?.send(run("error", { errorCode: "INTERNAL" }));
  await settle();
  expect(one.now.status).toBe("error");
});

test("an hour behind another tab is no patience lost", async () => {
  const one = scripted({ stream: false, patient: true });
  one.match.start("acme.com");
  await pass(350_000);
  page.show(false);
  await pass(3_600_000);
  page.show(true);
  await pass(9_000);
  expect(one.now).toMatchObject({ status: "polling", stillWorking: true });
  await pass(1_000);
  expect(one.now.error?.code).toBe("TIMED_OUT");
});

test("hidden while it starts: it starts, and then waits", async () => {
  const one = scripted({ stream: false });
  page.show(false);
  one.match.start("acme.com");
  await pass(600_000);
  expect([one.server.posts.length, one.server.polls.length, one.now.status]).toEqual([
    1,
    0,
    "polling",
  ]);
  page.show(true);
  await settle();
  expect(one.server.polls.length).toBe(1);
});

test("hidden and left: both must be over", async () => {
  const one = scripted({ stream: false });
  one.match.start("acme.com");
  await settle();
  page.show(false);
  one.unsubscribe();
  await settle();
  page.show(true);
  await pass(60_000);
  expect(one.server.polls.length).toBe(0);
  page.show(false);
  one.match.subscribe(() => undefined);
  await pass(60_000);
  expect(one.server.polls.length).toBe(0);
  page.show(true);
  await settle();
  expect(one.server.polls.length).toBe(1);
});

test("the page is listened to only while something is under way", async () => {
  const add = vi.spyOn(page, "addEventListener");
  const remove = vi.spyOn(page, "removeEventListener");
  const one = scripted({ stream: false });
  expect(add).not.toHaveBeenCalled();
  one.server.onPoll = () => json(readyRun());
  one.match.start("acme.com");
  await pass(2_000);
  expect(add).toHaveBeenCalledTimes(1);
  expect(remove.mock.calls.at(-1)?.[1]).toBe(add.mock.calls[0]?.[1]);
});
