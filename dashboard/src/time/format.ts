/** Times and spans in words. Pure: what is now is given. */

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** A span in its largest fitting unit: `840 ms`, `12 s`, `3 min`, `5 h`, `2 d`. */
export function span(seconds: number): string {
  const size = Math.abs(seconds);
  if (size < 1) {
    return `${Math.round(size * 1000)} ms`;
  }
  if (size < 10) {
    return `${Math.round(size * 10) / 10} s`;
  }
  if (size < 2 * MINUTE) {
    return `${Math.round(size)} s`;
  }
  if (size < 2 * HOUR) {
    return `${Math.floor(size / MINUTE)} min`;
  }
  if (size < 2 * DAY) {
    return `${Math.floor(size / HOUR)} h`;
  }
  return `${Math.floor(size / DAY).toLocaleString("en")} d`;
}

/** `3 min ago`, `in 2 h`, `now`. */
export function relative(at: number, now: number): string {
  const seconds = Math.round((at - now) / 1000);
  if (Math.abs(seconds) < 2) {
    return "now";
  }
  return seconds < 0 ? `${span(seconds)} ago` : `in ${span(seconds)}`;
}

const LOCAL = { hour: "2-digit", minute: "2-digit", second: "2-digit", hour12: false } as const;
const DATE = { year: "numeric", month: "short", day: "numeric" } as const;

/** With the day unless it is today's; in `zone`, or the viewer's. */
export function clockTime(at: number, now: number, zone?: string): string {
  const options = zone ? { timeZone: zone } : {};
  const day = new Intl.DateTimeFormat("en-GB", { ...DATE, ...options });
  const time = new Intl.DateTimeFormat("en-GB", { ...LOCAL, ...options }).format(at);
  return day.format(at) === day.format(now) ? time : `${day.format(at)}, ${time}`;
}

/** The viewer's time with UTC beside it: `14:03:22 (12:03:22 UTC)`. */
export function both(at: number, now: number, zone?: string): string {
  const here = clockTime(at, now, zone);
  const utc = clockTime(at, now, "UTC");
  return here === utc ? `${utc} UTC` : `${here} (${utc} UTC)`;
}

/** `9,999+` where only so much was counted. */
export function atLeast(count: number, capped: boolean): string {
  return `${count.toLocaleString("en")}${capped ? "+" : ""}`;
}

export function percent(part: number | null | undefined): string {
  return part == null
    ? "–"
    : `${(part * 100).toLocaleString("en", { maximumFractionDigits: 2 })} %`;
}

export function bytes(count: number): string {
  const units = ["B", "kB", "MB", "GB", "TB"];
  const at = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log10(count || 1) / 3)));
  return `${(count / 1000 ** at).toLocaleString("en", { maximumFractionDigits: 1 })} ${units[at]}`;
}
