/** States under the API's own names, each with one of five tones. */

export type Tone = "good" | "busy" | "wait" | "bad" | "off";

const TONES: Record<string, Tone> = {
  // jobs
  scheduled: "wait",
  ready: "wait",
  running: "busy",
  blocked: "off",
  succeeded: "good",
  cancelled: "off",
  skipped: "off",
  dead: "bad",
  // attempts
  failed: "bad",
  lost: "bad",
  rescued: "bad",
  handed_back: "off",
  // bulk actions
  waiting: "wait",
  done: "good",
  undone: "off",
  stopped: "off",
  // workers
  alive: "good",
  working: "good",
  ended: "off",
  stopping: "wait",
};

/** `tone` for states that another capability brings. */
export function State({ name, tone }: { readonly name: string; readonly tone?: Tone }) {
  return <span className={`badge tone-${tone ?? TONES[name] ?? "off"}`}>{name}</span>;
}

export function Tag({ children }: { readonly children: string }) {
  return <span className="tag">{children}</span>;
}
