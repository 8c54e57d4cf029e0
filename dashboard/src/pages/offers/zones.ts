/** Nine o'clock around the world, for one date. Pure: what is now is given. */

import type { Answers } from "../../api/client.ts";

export type Zone = Answers["ZoneView"];

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** The date whose nine o'clock is somewhere on earth now: it begins at UTC+14, at 19:00 UTC. */
export function lineDate(now: number): string {
  return new Date(now + 5 * HOUR_MS).toISOString().slice(0, 10);
}

type Round = Pick<Answers["RoundView"], "day" | "pinnedAt">;

/** The demo makes mornings of past dates pass in minutes: then theirs is the one that moves. */
export function movingDate(now: number, rounds: readonly Round[]): string {
  const [last] = rounds
    .map(({ day, pinnedAt }) => ({ day, at: Date.parse(pinnedAt) }))
    .filter(({ day, at }) => at > Date.parse(day) + 2 * DAY_MS && now - at < HOUR_MS)
    .sort((a, b) => b.at - a.at);
  return last?.day ?? lineDate(now);
}

export interface World {
  /** Each where the picture has it. */
  readonly zones: readonly Zone[];
  /** Where the line is. */
  readonly line: number;
  readonly isSpedUp: boolean;
}

/** As it is; a morning that was sped up is drawn where the calendar has it. */
export function worldOf(day: string, zones: readonly Zone[], now: number): World {
  const late = Date.parse(day) + 2 * DAY_MS;
  if (!zones.some((zone) => Date.parse(zone.dueAt) > late)) {
    return { zones, line: now, isSpedUp: false };
  }
  const placed = zones.map((zone) => ({ zone, at: nineOr(zone, day) }));
  const passed = placed.filter(({ zone }) => Date.parse(zone.dueAt) <= now).map(({ at }) => at);
  return {
    zones: placed.map(({ zone, at }) => ({ ...zone, dueAt: new Date(at).toISOString() })),
    line: Math.max(Date.parse(`${day}T09:00:00Z`) - 14 * HOUR_MS, ...passed),
    isSpedUp: true,
  };
}

function nineOr(zone: Zone, day: string): number {
  try {
    return nineIn(zone.zone, day);
  } catch {
    return Date.parse(`${day}T09:00:00Z`); // a zone that this browser does not know
  }
}

export function otherDay(day: string, days: number): string {
  const at = new Date(`${day}T00:00:00Z`);
  at.setUTCDate(at.getUTCDate() + days);
  return at.toISOString().slice(0, 10);
}

/** From nine at UTC+14 to nine at UTC−12, and wider if a zone of theirs lies outside. */
export function spanOf(day: string, zones: readonly Zone[]): readonly [number, number] {
  const nine = Date.parse(`${day}T09:00:00Z`);
  const dues = zones.map((zone) => Date.parse(zone.dueAt));
  return [
    Math.min(nine - 14 * HOUR_MS, ...dues) - HOUR_MS / 2,
    Math.max(nine + 12 * HOUR_MS, ...dues) + HOUR_MS / 2,
  ];
}

export interface Nine {
  readonly at: number;
  readonly zones: readonly string[];
  readonly made: number;
  readonly empty: number;
  readonly skipped: number;
  readonly lacking: number;
  readonly expected: number;
}

/** Zones in which it is nine at the same instant, together; the first first. */
export function nines(zones: readonly Zone[]): Nine[] {
  const found = new Map<number, Zone[]>();
  for (const zone of zones) {
    const at = Date.parse(zone.dueAt);
    found.set(at, [...(found.get(at) ?? []), zone]);
  }
  const sum = (own: readonly Zone[], read: (zone: Zone) => number) =>
    own.reduce((total, zone) => total + read(zone), 0);
  return [...found]
    .sort(([a], [b]) => a - b)
    .map(([at, own]) => {
      const expected = sum(own, (zone) => zone.expected);
      const made = sum(own, (zone) => zone.made);
      const empty = sum(own, (zone) => zone.empty);
      const skipped = sum(own, (zone) => zone.skipped);
      return {
        at,
        zones: own.map((zone) => zone.zone),
        made: made - empty,
        empty,
        skipped,
        lacking: Math.max(0, expected - made - skipped),
        expected,
      };
    });
}

export type ZoneState = "not yet" | "being made" | "done" | "closed";

/** Where a zone's date stands. */
export function stateOf(zone: Zone, now: number): ZoneState {
  if (zone.closedAt !== null && Date.parse(zone.closedAt) <= now) {
    return "closed";
  }
  if (Date.parse(zone.dueAt) > now) {
    return "not yet";
  }
  return zone.made + zone.skipped >= zone.expected ? "done" : "being made";
}

/** The instant of 09:00 of a date in a zone, by the browser's own tables: for orientation only. */
export function nineIn(zone: string, day: string): number {
  const wanted = Date.parse(`${day}T09:00:00Z`);
  let at = wanted;
  for (let round = 0; round < 2; round++) {
    at += wanted - wallClock(at, zone); // the second time for what a change of clocks moved
  }
  return at;
}

function wallClock(at: number, zone: string): number {
  const parts = new Intl.DateTimeFormat("en-GB", {
    timeZone: zone,
    hourCycle: "h23",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
  }).formatToParts(at);
  const of = (type: string) => parts.find((part) => part.type === type)?.value ?? "";
  return Date.parse(`${of("year")}-${of("month")}-${of("day")}T${of("hour")}:${of("minute")}:00Z`);
}

/** Far enough from each other that their names fit beside each other. */
export const CITIES = [
  ["Auckland", "Pacific/Auckland"],
  ["Sydney", "Australia/Sydney"],
  ["Tokyo", "Asia/Tokyo"],
  ["Bangkok", "Asia/Bangkok"],
  ["Delhi", "Asia/Kolkata"],
  ["Dubai", "Asia/Dubai"],
  ["Berlin", "Europe/Berlin"],
  ["Azores", "Atlantic/Azores"],
  ["São Paulo", "America/Sao_Paulo"],
  ["New York", "America/New_York"],
  ["Denver", "America/Denver"],
  ["Honolulu", "Pacific/Honolulu"],
] as const;
