/**
 * Keys of one letter, for lists and pages: `j k x r c / ?`. One listener for the document; the last
 * binding of a key wins, so what is in front answers. Never while somebody types, nor together with
 * Ctrl, Alt or ⌘, which are the browser's.
 */

import { useEffect, useRef } from "react";

export interface Binding {
  readonly key: string;
  /** What it does, for the help: "Next row". */
  readonly does: string;
  readonly run: () => void;
}

let bindings: readonly Binding[] = [];

export function bind(added: readonly Binding[]): () => void {
  bindings = [...bindings, ...added];
  return () => {
    bindings = bindings.filter((one) => !added.includes(one));
  };
}

/** What answers now, each key once, for the help. */
export function boundKeys(): Binding[] {
  const found = new Map(bindings.map((one) => [one.key, one]));
  return [...found.values()];
}

type Pressed = Pick<
  KeyboardEvent,
  "key" | "ctrlKey" | "metaKey" | "altKey" | "defaultPrevented" | "isComposing"
> & { readonly target: EventTarget | null };

export function bindingOf(event: Pressed, isDialogOpen: boolean): Binding | null {
  if (event.defaultPrevented || event.isComposing || isDialogOpen) {
    return null;
  }
  if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) {
    return null;
  }
  return bindings.findLast((one) => one.key === event.key) ?? null;
}

const TEXTS = "input:not([type=checkbox],[type=radio],[type=button]), textarea, select";

export function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && (target.isContentEditable || target.closest(TEXTS) !== null)
  );
}

/** Ctrl K, or ⌘ K: also while somebody types. */
export function isPaletteKey(event: Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey">): boolean {
  return (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k";
}

export function listenForKeys(onPalette: () => void): () => void {
  const listen = (event: KeyboardEvent) => {
    if (isPaletteKey(event)) {
      event.preventDefault();
      onPalette();
      return;
    }
    const isDialogOpen = document.querySelector("dialog[open], [role=dialog]") !== null;
    const found = bindingOf(event, isDialogOpen);
    if (found) {
      event.preventDefault();
      found.run();
    }
  };
  document.addEventListener("keydown", listen);
  return () => document.removeEventListener("keydown", listen);
}

/** Bound while the component is there; what is run is always the newest. */
export function useKeys(wanted: readonly Binding[]): void {
  const latest = useRef(wanted);
  latest.current = wanted;
  const names = wanted.map((one) => `${one.key} ${one.does}`).join("\n");
  useEffect(
    () =>
      bind(
        names
          .split("\n")
          .filter(Boolean)
          .map((name) => ({
            key: name.slice(0, name.indexOf(" ")),
            does: name.slice(name.indexOf(" ") + 1),
            run: () => latest.current.find((one) => `${one.key} ${one.does}` === name)?.run(),
          })),
      ),
    [names],
  );
}
