import { expect, test } from "vitest";
import {
  lineDate,
  movingDate,
  nineIn,
  nines,
  otherDay,
  spanOf,
  stateOf,
  worldOf,
  type Zone,
} from "./zones.ts";

function zone(name: string, dueAt: string, more: Partial<Zone> = {}): Zone {
  return {
    zone: name,
    day: "2026-11-17",
    dueAt,
    endsAt: "2026-11-18T00:00:00Z",
    fannedOutAt: null,
    closedAt: null,
    expected: 10,
    made: 0,
    empty: 0,
    skipped: 0,
    offers: 0,
    ...more,
  };
}

test("the date of the line changes when it is nine at UTC+14", () => {
  expect(lineDate(Date.parse("2026-11-17T18:59:59Z"))).toBe("2026-11-17");
  expect(lineDate(Date.parse("2026-11-17T19:00:00Z"))).toBe("2026-11-18");
  expect(otherDay("2026-03-01", -1)).toBe("2026-02-28");
});

test("nine o'clock in zones of every kind", () => {
  const at = (name: string, day: string) => new Date(nineIn(name, day)).toISOString().slice(0, 16);
  expect(at("Asia/Kolkata", "2026-11-17")).toBe("2026-11-17T03:30");
  expect(at("Pacific/Kiritimati", "2026-11-17")).toBe("2026-11-16T19:00");
  expect(at("Europe/Berlin", "2026-03-29")).toBe("2026-03-29T07:00"); // clocks go forward that night
  expect(at("America/New_York", "2026-11-01")).toBe("2026-11-01T14:00"); // and back
});

test("zones of one instant are one bar", () => {
  const found = nines([
    zone("Europe/Paris", "2026-11-17T08:00:00Z", { made: 4, empty: 1 }),
    zone("Asia/Tokyo", "2026-11-17T00:00:00Z", { made: 8, skipped: 2 }),
    zone("Europe/Berlin", "2026-11-17T08:00:00Z", { made: 3 }),
  ]);
  expect(found.map((one) => one.zones)).toEqual([
    ["Asia/Tokyo"],
    ["Europe/Paris", "Europe/Berlin"],
  ]);
  expect(found[1]).toMatchObject({ made: 6, empty: 1, skipped: 0, lacking: 13, expected: 20 });
});

test("where a zone's date stands", () => {
  const berlin = zone("Europe/Berlin", "2026-11-17T08:00:00Z");
  const eight = Date.parse("2026-11-17T08:00:00Z");
  expect(stateOf(berlin, eight - 1)).toBe("not yet");
  expect(stateOf(berlin, eight)).toBe("being made");
  expect(stateOf({ ...berlin, made: 10 }, eight)).toBe("done");
  expect(stateOf({ ...berlin, closedAt: "2026-11-17T23:10:00Z" }, eight + 86_400_000)).toBe(
    "closed",
  );
});

test("the picture is as wide as the world, and wider where a zone is", () => {
  const [from, to] = spanOf("2026-11-17", []);
  expect((to - from) / 3_600_000).toBe(27);
  const [, wider] = spanOf("2026-11-17", [zone("X", "2026-11-18T03:00:00Z")]);
  expect(wider).toBe(Date.parse("2026-11-18T03:30:00Z"));
});

test("a morning that is sped up is drawn where the calendar has it", () => {
  const now = Date.parse("2026-11-27T12:00:00Z");
  const zones = [
    zone("Asia/Tokyo", "2026-11-27T11:59:50Z"),
    zone("Europe/Berlin", "2026-11-27T11:59:55Z"),
    zone("No/Such_Place", "2026-11-27T12:00:05Z"),
  ];
  const world = worldOf("2026-11-17", zones, now);
  expect(world.isSpedUp).toBe(true);
  expect(world.zones.map((one) => one.dueAt.slice(0, 16))).toEqual([
    "2026-11-17T00:00",
    "2026-11-17T08:00",
    "2026-11-17T09:00",
  ]);
  expect(new Date(world.line).toISOString()).toBe("2026-11-17T08:00:00.000Z");
  const real = [zone("Europe/Berlin", "2026-11-17T08:00:00Z")];
  expect(worldOf("2026-11-17", real, now)).toEqual({ zones: real, line: now, isSpedUp: false });
});

test("the date that moves is today's, unless the demo makes others pass", () => {
  const now = Date.parse("2026-11-17T12:00:00Z");
  const today = { day: "2026-11-17", pinnedAt: "2026-11-16T18:00:00Z" };
  expect(movingDate(now, [today])).toBe("2026-11-17");
  const told = { day: "2026-11-08", pinnedAt: "2026-11-17T11:50:00Z" };
  expect(movingDate(now, [today, told, { ...told, day: "2026-11-07" }])).toBe("2026-11-08");
  expect(movingDate(now + 7_200_000, [today, told])).toBe("2026-11-17");
});
