/** Light, dark, or as the system has it; kept in this browser. */

import { useSyncExternalStore } from "react";

export type Theme = "light" | "dark";
const KEY = "handfast.theme";
const listeners = new Set<() => void>();
const dark = window.matchMedia("(prefers-color-scheme: dark)");

function stored(): Theme | null {
  try {
    const found = localStorage.getItem(KEY);
    return found === "light" || found === "dark" ? found : null;
  } catch {
    return null; // forbidden here: the system's theme then
  }
}

export function theme(): Theme {
  return stored() ?? (dark.matches ? "dark" : "light");
}

export function applyTheme(): void {
  const chosen = stored();
  if (chosen) {
    document.documentElement.dataset.theme = chosen;
  } else {
    delete document.documentElement.dataset.theme;
  }
  for (const listener of listeners) {
    listener();
  }
}

export function setTheme(next: Theme): void {
  try {
    localStorage.setItem(KEY, next);
  } catch {
    document.documentElement.dataset.theme = next; // for this visit
  }
  applyTheme();
}

dark.addEventListener("change", applyTheme);

export function useTheme(): Theme {
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, theme);
}
