import { expect, test, vi } from "vitest";
import { sessionEnded, sessionState, signedIn, signedOut, takeCode } from "./session.ts";

test("a session that ends in the middle is not the same as none", () => {
  expect(sessionState()).toBe("unknown");
  sessionEnded();
  expect(sessionState()).toBe("signed-out");
  signedIn();
  sessionEnded();
  expect(sessionState()).toBe("ended");
  sessionEnded();
  expect(sessionState()).toBe("ended");
  signedIn();
  signedOut();
  expect(sessionState()).toBe("signed-out");
});

test("a code is taken once, and is not in the address any more", () => {
  const replaceState = vi.fn();
  const history = { state: null, replaceState } as unknown as History;
  const at = (hash: string) =>
    ({ hash, pathname: "/dashboard", search: "?a=1" }) as unknown as Location;
  expect(takeCode(at("#code=hf_code_0123456789abcdef"), history)).toBe("hf_code_0123456789abcdef");
  expect(replaceState).toHaveBeenCalledWith(null, "", "/dashboard?a=1");
  expect(takeCode(at("#page"), history)).toBeNull();
  expect(takeCode(at(""), history)).toBeNull();
  expect(replaceState).toHaveBeenCalledOnce();
});
