/** What was done, for some seconds at the edge of the page. */

import { useSyncExternalStore } from "react";
import { Icon } from "./icons.tsx";

interface Notice {
  readonly id: number;
  readonly words: string;
}

const SHOWN_MS = 8_000;
let notices: readonly Notice[] = [];
let last = 0;
const listeners = new Set<() => void>();

function become(next: readonly Notice[]): void {
  notices = next;
  for (const listener of listeners) {
    listener();
  }
}

export function notify(words: string): void {
  const id = ++last;
  become([...notices, { id, words }].slice(-3));
  setTimeout(() => dismiss(id), SHOWN_MS);
}

function dismiss(id: number): void {
  become(notices.filter((one) => one.id !== id));
}

export function Notices() {
  const shown = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => notices,
  );
  return (
    <div className="notices" role="status">
      {shown.map(({ id, words }) => (
        <p key={id} className="notice">
          <span dir="auto">{words}</span>
          <button
            type="button"
            className="icon-button"
            aria-label="Dismiss"
            onClick={() => dismiss(id)}
          >
            <Icon name="close" />
          </button>
        </p>
      ))}
    </div>
  );
}
