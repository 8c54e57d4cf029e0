/** When a delivery is tried, counted from its first attempt: as the server does it. */

export const ATTEMPTS = [
  "at once",
  "5 s",
  "30 s",
  "2 min",
  "10 min",
  "30 min",
  "1 h",
  "6 h",
  "12 h",
  "24 h",
] as const;

/** "3 of 10, 30 s after the first". */
export function whichAttempt(attempt: number): string {
  const after = ATTEMPTS[attempt - 1];
  const when = attempt === 1 || after === undefined ? "" : `, ${after} after the first`;
  return `${attempt} of ${ATTEMPTS.length}${when}`;
}
