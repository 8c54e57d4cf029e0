import { State, type Tone } from "../../parts/badge.tsx";

const TONES: Record<string, Tone> = {
  active: "good",
  suspended: "bad",
  pending_verification: "wait",
  non_matching: "off",
  deleted: "off",
  erased: "off",
};

export function UserState({ status }: { readonly status: string }) {
  return <State name={status} tone={TONES[status] ?? "off"} />;
}
