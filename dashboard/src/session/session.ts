/**
 * Who is signed in, and what happens when that ends in the middle: the page stays as it is, with
 * what was typed into it, and the sign-in form comes in front of it.
 */

import { useSyncExternalStore } from "react";

export type SessionState = "unknown" | "signed-in" | "signed-out" | "ended";

let state: SessionState = "unknown";
const listeners = new Set<() => void>();

function become(next: SessionState): void {
  if (next !== state) {
    state = next;
    for (const listener of listeners) {
      listener();
    }
  }
}

/** An answer of 401: nobody is signed in, or not any more. */
export function sessionEnded(): void {
  become(state === "signed-in" || state === "ended" ? "ended" : "signed-out");
}

export function signedIn(): void {
  become("signed-in");
}

/** By choice: nothing of the page is kept. */
export function signedOut(): void {
  become("signed-out");
}

export function sessionState(): SessionState {
  return state;
}

export function useSession(): SessionState {
  return useSyncExternalStore(subscribe, sessionState);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/**
 * A one-time code behind `#` (`#code=…`): read once, and gone from the address and the history
 * before anything else happens.
 */
export function takeCode(location: Location, history: History): string | null {
  const found = /^#(?:code=)?([\w-]{16,})$/.exec(location.hash);
  if (!found?.[1]) {
    return null;
  }
  history.replaceState(history.state, "", location.pathname + location.search);
  return found[1];
}
