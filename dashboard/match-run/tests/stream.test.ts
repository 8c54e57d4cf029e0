/** Server-sent events where they can be had, and polls where they cannot. */

import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import {
  Events,
  failedRun,
  freeze,
  gone,
  html,
  json,
  never,
  pass,
  RUN_ID,
  readyRun,
  run,
  scripted,
  settle,
} from "./scripted.ts";

beforeEach(freeze);
afterEach(() => vi.useRealTimers());

const at = (seconds: number) => ({
  updatedAt: new Date(Date.parse("2026-03-02T09:00:00Z") + seconds * 1000).toISOString(),
});

async function streaming(options = {}) {
  const one = scripted(options);
  const events = new Events();
  one.server.onStream = () => events.response;
  one.match.start("acme.com");
  await settle();
  return { one, events };
}

describe("while the stream is alive", () => {
  test("nothing is polled, each change is shown, and the matches are fetched at the end", async () => {
    const { one, events } = await streaming();
    expect(one.server.streams[0]?.url).toBe(`http://handfast/api/match/run/${RUN_ID}/events`);
    events.send(run("queued", at(0)));
    await pass(3_000);
    events.send(run("processing", { step: "parse", ...at(3) }));
    await pass(10_000);
    expect(one.now.run?.step).toBe("parse");
    expect(one.server.polls.length).toBe(0);
    one.server.onPoll = () => json(readyRun(at(13)));
    events.send(run("ready", at(13)));
    await settle();
    expect(one.now).toMatchObject({ status: "ready", startupName: "Acme" });
    expect(one.server.polls.map((asked) => asked.at)).toEqual([13_000]);
    expect([events.wasCancelled, vi.getTimerCount()]).toEqual([true, 0]);
  });

  test("a failure needs no poll", async () => {
    const { one, events } = await streaming();
    events.send(failedRun("STARTUP_NOT_FOUND", "Nobody knows it."));
    await settle();
    expect(one.now.error).toMatchObject({ code: "STARTUP_NOT_FOUND", retryable: false });
    expect(one.server.polls.length).toBe(0);
  });

  test("comments are signs of life; other events and other runs are not ours", async () => {
    const { one, events } = await streaming();
    for (let nth = 0; nth < 3; nth += 1) {
      events.write(": still here\n\n");
      events.send({ hello: 1 });
      events.send(failedRun("INTERNAL", "not a run's event"), "weather");
      events.send(run("ready", { runId: "other" }));
      await pass(15_000);
    }
    expect([one.server.polls.length, one.now.status]).toEqual([0, "polling"]);
  });

  test("events in pieces, with letters of several bytes", async () => {
    const { one, events } = await streaming();
    const text = `event: run\ndata: ${JSON.stringify(run("queued", { inputUrl: "müller.de", ...at(1) }))}\n\n`;
    for (const byte of new TextEncoder().encode(text)) {
      events.write(new Uint8Array([byte]));
    }
    for (let turn = 0; turn < 20; turn += 1) {
      await settle();
    }
    expect(one.now.run?.inputUrl).toBe("müller.de");
  });

  test("the failsafe counts as if it polled", async () => {
    const { one, events } = await streaming();
    for (let nth = 0; nth < 6; nth += 1) {
      events.write(": still here\n\n");
      await pass(9_999);
    }
    expect(one.now.status).toBe("polling");
    await pass(6);
    expect(one.now.error?.code).toBe("TIMED_OUT");
    expect([one.server.polls.length, events.wasCancelled]).toEqual([0, true]);
  });

  test("patient mode says that it is still working, and stops", async () => {
    const { one, events } = await streaming({ patient: true });
    for (let nth = 0; nth < 35; nth += 1) {
      events.write(": still here\n\n");
      await pass(10_000);
    }
    expect(one.now).toMatchObject({ status: "polling", stillWorking: true });
    events.write(": still here\n\n");
    await pass(10_000);
    expect(one.now.error?.code).toBe("TIMED_OUT");
    expect(one.server.polls.length).toBe(0);
  });

  test("an answer that was overtaken changes nothing", async () => {
    const one = scripted();
    const events = new Events();
    one.server.onStream = () => events.response;
    one.server.onPoll = () => json(run("queued", at(1)));
    one.match.start("acme.com");
    await pass(2_000); // the stream has said nothing yet: a poll
    events.send(run("processing", { step: "rank", ...at(2) }));
    events.send(run("queued", at(1)));
    await settle();
    expect(one.now.run?.step).toBe("rank");
  });

  test("a rescued run is queued again, and shown so", async () => {
    const { one, events } = await streaming();
    events.send(run("processing", at(1)));
    events.send(run("queued", at(300)));
    await settle();
    expect(one.now.run?.status).toBe("queued");
  });

  test("ready while a poll is under way: fetched right after it", async () => {
    const one = scripted();
    const events = new Events();
    one.server.onStream = () => events.response;
    let say: (response: Response) => void = () => undefined;
    one.server.onPoll = (_, nth) =>
      nth === 1
        ? new Promise((resolve) => {
            say = resolve;
          })
        : json(readyRun(at(5)));
    one.match.start("acme.com");
    await pass(2_000);
    events.send(run("ready", at(5)));
    await settle();
    expect(one.server.polls.length).toBe(1);
    say(json(run("processing", at(1))));
    await settle();
    expect([one.now.status, one.server.polls.length]).toEqual(["ready", 2]);
  });

  test("ready, but the matches cannot be had at once", async () => {
    const { one, events } = await streaming();
    one.server.onPoll = (_, nth) => (nth < 3 ? gone() : json(readyRun()));
    events.send(run("ready"));
    await settle();
    expect(one.now).toMatchObject({ status: "polling", run: { status: "ready" } });
    await pass(4_000);
    expect(one.now.status).toBe("ready");
  });
});

describe("the stream is lost", () => {
  test.each([
    ["it ends", (events: Events) => events.close()],
    ["it breaks", (events: Events) => events.break()],
    ["it says what is no JSON", (events: Events) => events.write("event: run\ndata: <p>\n\n")],
  ])("%s: polls go on from there", async (_, lose) => {
    const { one, events } = await streaming();
    events.send(run("processing", at(1)));
    await pass(9_000);
    expect(one.server.polls.length).toBe(0);
    lose(events);
    await pass(3_000);
    expect(one.server.polls.map((asked) => asked.at)).toEqual([10_000, 12_000]);
    expect(one.server.streams.length).toBe(1);
    one.server.onPoll = () => json(readyRun());
    await pass(2_000);
    expect(one.now.status).toBe("ready");
  });

  test("it falls silent for 20 s: polls, until it speaks again", async () => {
    const { one, events } = await streaming();
    events.send(run("processing", at(1)));
    await pass(19_999);
    expect(one.server.polls.length).toBe(0);
    await pass(2_001);
    expect(one.server.polls.length).toBe(2);
    events.write(": still here\n\n");
    await pass(4_000);
    expect(one.server.polls.length).toBe(2);
  });

  test.each([
    ["never answers", never],
    ["cannot be reached", gone],
    ["answers HTML", () => html()],
    ["answers 404", () => html(404)],
    ["answers an empty 204", () => new Response(null, { status: 204 })],
    ["is buffered by a proxy", () => new Events().response],
    ["is of another type", () => new Events("application/json").response],
  ])("it %s: polls from the beginning", async (_, answer) => {
    const one = scripted();
    one.server.onStream = answer;
    one.server.onPoll = (_asked, nth) => json(nth === 2 ? readyRun() : run());
    one.match.start("acme.com");
    await pass(4_000);
    expect(one.now.status).toBe("ready");
    expect(one.server.polls.map((asked) => asked.at)).toEqual([2_000, 4_000]);
  });
});
