import { expect, test } from "vitest";
import { noteServerTime, serverNow } from "./clock.ts";
import { atLeast, both, bytes, percent, relative, span } from "./format.ts";

const NOON = Date.parse("2026-05-03T12:00:00Z");

test.each([
  [0.002, "2 ms"],
  [4.25, "4.3 s"],
  [90, "90 s"],
  [600, "10 min"],
  [7_200, "2 h"],
  [172_800, "2 d"],
])("%d seconds are %s", (seconds, said) => {
  expect(span(seconds)).toBe(said);
});

test("relative to now", () => {
  expect(relative(NOON - 180_000, NOON)).toBe("3 min ago");
  expect(relative(NOON + 7_200_000, NOON)).toBe("in 2 h");
  expect(relative(NOON - 400, NOON)).toBe("now");
});

test("the viewer's time with UTC beside it", () => {
  expect(both(NOON, NOON, "Europe/Berlin")).toBe("14:00:00 (12:00:00 UTC)");
  expect(both(NOON, NOON, "UTC")).toBe("12:00:00 UTC");
  expect(both(NOON, NOON + 86_400_000, "Asia/Kolkata")).toBe(
    "3 May 2026, 17:30:00 (3 May 2026, 12:00:00 UTC)",
  );
});

test("numbers as people read them", () => {
  expect(atLeast(10_000, true)).toBe("10,000+");
  expect(percent(0.0123)).toBe("1.23 %");
  expect(percent(null)).toBe("–");
  expect(bytes(34_813_631)).toBe("34.8 MB");
});

test("a browser's clock that is wrong by an hour does not matter", () => {
  const asked = Date.now();
  noteServerTime(new Date(asked - 3_600_000).toUTCString(), asked, asked + 20);
  expect(Math.abs(serverNow() - (Date.now() - 3_600_000))).toBeLessThan(1_500);
  noteServerTime(new Date(asked - 7_200_000).toUTCString(), asked, asked + 9_000); // took too long
  expect(Math.abs(serverNow() - (Date.now() - 3_600_000))).toBeLessThan(1_500);
  noteServerTime(new Date(asked).toUTCString(), asked, asked + 20);
  expect(Math.abs(serverNow() - Date.now())).toBeLessThan(50);
});
