import { expect, test, vi } from "vitest";
import { bind, bindingOf, boundKeys, isPaletteKey, isTyping, listenForKeys } from "./keys.ts";

const pressed = (key: string, more: Partial<KeyboardEvent> = {}) => ({
  key,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  defaultPrevented: false,
  isComposing: false,
  target: document.body,
  ...more,
});

test("the last one bound answers, until it is gone", () => {
  const [first, second] = [
    { key: "r", does: "first", run: () => undefined },
    { key: "r", does: "second", run: () => undefined },
  ];
  const leave = bind([first]);
  const leaveSecond = bind([second]);
  expect(bindingOf(pressed("r"), false)).toBe(second);
  expect(boundKeys().map((one) => one.does)).toEqual(["second"]);
  leaveSecond();
  expect(bindingOf(pressed("r"), false)).toBe(first);
  leave();
  expect(bindingOf(pressed("r"), false)).toBeNull();
});

test("never while somebody types, nor with a modifier, nor behind a dialog", () => {
  const leave = bind([{ key: "j", does: "next", run: () => undefined }]);
  const input = document.createElement("input");
  const check = Object.assign(document.createElement("input"), { type: "checkbox" });
  expect(bindingOf(pressed("j", { target: input }), false)).toBeNull();
  expect(bindingOf(pressed("j", { ctrlKey: true }), false)).toBeNull();
  expect(bindingOf(pressed("j", { isComposing: true }), false)).toBeNull();
  expect(bindingOf(pressed("j"), true)).toBeNull();
  expect(bindingOf(pressed("j", { target: check }), false)).not.toBeNull();
  expect(isTyping(document.createElement("textarea"))).toBe(true);
  leave();
});

test("Ctrl K and ⌘ K answer everywhere, and the browser does not", () => {
  expect(isPaletteKey(pressed("k", { ctrlKey: true }))).toBe(true);
  expect(isPaletteKey(pressed("K", { metaKey: true }))).toBe(true);
  expect(isPaletteKey(pressed("k"))).toBe(false);
  const opened = vi.fn();
  const leave = listenForKeys(opened);
  const event = new KeyboardEvent("keydown", { key: "k", ctrlKey: true, cancelable: true });
  document.dispatchEvent(event);
  expect(opened).toHaveBeenCalledOnce();
  expect(event.defaultPrevented).toBe(true);
  leave();
});
