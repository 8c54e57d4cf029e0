/** Drawn by hand on a 16 by 16 grid, one stroke. */

const PATHS = {
  overview: "M2 13.5h12M4 11V7.5M8 11V3M12 11V5.5",
  jobs: "M5.5 4H14M5.5 8H14M5.5 12H14M2 4h.5M2 8h.5M2 12h.5",
  dead: "M2 9.5V13a1 1 0 0 0 1 1h10a1 1 0 0 0 1-1V9.5M2 9.5 4 3h8l2 6.5M2 9.5h3.5a2.5 2.5 0 0 0 5 0H14",
  schedules: "M8 4.5V8l2.5 1.5M14 8A6 6 0 1 1 2 8a6 6 0 0 1 12 0Z",
  workers: "M6 2v2M10 2v2M6 12v2M10 12v2M2 6h2M2 10h2M12 6h2M12 10h2M4 4h8v8H4Z",
  settings: "M2 5h7M13 5h1M2 11h1M7 11h7M11 3.5v3M5 9.5v3",
  audit: "M4 2h6l3 3v9H4ZM6.5 8h4M6.5 11h4",
  webhooks: "M2 8h7M6.5 5 9.5 8l-3 3M11.5 3.5h2v9h-2",
  runs: "M3 3.5v9L12.5 8Z",
  corpus:
    "M3 4c0-1.1 2.2-2 5-2s5 .9 5 2v8c0 1.1-2.2 2-5 2s-5-.9-5-2ZM3 4c0 1.1 2.2 2 5 2s5-.9 5-2M3 8c0 1.1 2.2 2 5 2s5-.9 5-2",
  fixtures: "M2.5 3.5h11v10h-11ZM2.5 6.5h11M5.5 2v2.5M10.5 2v2.5M6 10h4",
  people: "M8 8a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5ZM3 14c0-2.5 2.2-4 5-4s5 1.5 5 4",
  moderation: "M8 2 13 4v4c0 3-2 5-5 6-3-1-5-3-5-6V4Z",
  offers: "M8 13.5S2 10 2 6a3 3 0 0 1 6-.8A3 3 0 0 1 14 6c0 4-6 7.5-6 7.5Z",
  stakes: "M8 2v12M2 8h12M8 2l6 6-6 6-6-6Z",
  ledger: "M3 2h10v12H3ZM6 5h4M6 8h4M6 11h2",
  page: "M4 2h8v12H4Z",
  search: "m10.5 10.5 3.5 3.5M12 7A5 5 0 1 1 2 7a5 5 0 0 1 10 0Z",
  menu: "M2 4h12M2 8h12M2 12h12",
  close: "m4 4 8 8M12 4l-8 8",
  copy: "M6 6h7.5v7.5H6ZM10 6V2.5H2.5V10H6",
  check: "m3 8.5 3.5 3.5L13 4.5",
  sun: "M8 5a3 3 0 1 0 0 6 3 3 0 0 0 0-6ZM8 1v1.5M8 13.5V15M1 8h1.5M13.5 8H15M3 3l1 1M12 12l1 1M13 3l-1 1M4 12l-1 1",
  moon: "M13 9.5A5.5 5.5 0 1 1 6.5 3a4.5 4.5 0 0 0 6.5 6.5Z",
  down: "m4 6 4 4 4-4",
  right: "m6 4 4 4-4 4",
  alert: "M8 2 15 14H1ZM8 6.5v3.5M8 12v.2",
  undo: "M3 6h6.5a3.5 3.5 0 0 1 0 7H6M5.5 3.5 3 6l2.5 2.5",
  pause: "M5.5 3.5v9M10.5 3.5v9",
} as const;

export type IconName = keyof typeof PATHS;

export function isIcon(name: string): name is IconName {
  return name in PATHS;
}

export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg className="icon" viewBox="0 0 16 16" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}
