import type { Answers } from "../../api/client.ts";
import { State, type Tone } from "../../parts/badge.tsx";

type Status = Answers["HeldRunView"]["status"];

const TONES: Record<Status, Tone> = {
  created: "wait",
  queued: "wait",
  processing: "busy",
  ready: "good",
  error: "bad",
};

export function RunState({ status }: { readonly status: Status }) {
  return <State name={status} tone={TONES[status]} />;
}
