/** What changed, said to those who cannot see it: one polite region for the whole page. */

import { useSyncExternalStore } from "react";

let said = "";
const listeners = new Set<() => void>();

export function announce(words: string): void {
  // The same words twice are news twice: a space that nobody hears makes them differ.
  said = said === words ? `${words}\u00a0` : words;
  for (const listener of listeners) {
    listener();
  }
}

export function Announcer() {
  const words = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => said,
  );
  return (
    <div className="hidden" aria-live="polite">
      {words}
    </div>
  );
}
