import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { act } from "react";
import { createRoot, type Root } from "react-dom/client";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createQueries } from "../queries.ts";
import { sessionEnded } from "../session/session.ts";

Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });

const PHONE = "+4915112345678";
const USER = "0199f2a0-0000-7000-8000-000000000001";
const ACCOUNT = {
  id: USER,
  phoneNumber: PHONE,
  status: "active",
  createdAt: "2026-05-03T12:00:00Z",
  lastActiveAt: "2026-05-03T12:00:00Z",
};

let answers: Record<string, [number, unknown]>;
let root: Root;

beforeEach(async () => {
  answers = {};
  vi.stubGlobal("fetch", async (asked: Request | string) => {
    const request = new Request(typeof asked === "string" ? `http://here${asked}` : asked);
    const { pathname } = new URL(request.url);
    const [status, said] = answers[`${request.method} ${pathname}`] ?? [404, {}];
    return Response.json(said, { status });
  });
  window.history.replaceState(null, "", `/dashboard/people/${USER}`);
  document.body.innerHTML = "<div id=root></div>";
  root = createRoot(document.getElementById("root") as HTMLElement);
  const { router } = await import("../router.tsx");
  answers["GET /admin/dashboard"] = [200, here("operator", "anna")];
  answers[`GET /admin/users/${USER}`] = [200, { account: ACCOUNT }];
  await act(async () =>
    root.render(
      <QueryClientProvider client={createQueries()}>
        <RouterProvider router={router} />
      </QueryClientProvider>,
    ),
  );
  await until(() => document.body.textContent?.includes(PHONE));
});

afterEach(async () => {
  await act(() => root.unmount());
  vi.unstubAllGlobals();
});

function here(role: "operator" | "viewer", name: string) {
  const caller = { role, name, endsAt: null };
  return { version: "1", caller, pages: [], capabilities: ["identity"] };
}

async function until(isSo: () => boolean | undefined) {
  for (let left = 100; left > 0 && !isSo(); left--) {
    await act(() => new Promise((resolve) => setTimeout(resolve, 20)));
  }
  expect(isSo()).toBe(true);
}

/** In front of what anna looked at, when her session has ended. */
async function signInAgain() {
  await act(async () => sessionEnded());
  const dialog = document.querySelector("dialog");
  const field = dialog?.querySelector("input");
  if (field) {
    field.value = "a-token";
  }
  answers["POST /admin/session"] = [201, {}];
  await act(async () => dialog?.querySelector("form")?.requestSubmit());
  await until(() => document.querySelector("dialog") === null);
}

test("who signs in after somebody else sees nothing of theirs", async () => {
  answers["GET /admin/dashboard"] = [200, here("viewer", "vera")];
  answers[`GET /admin/users/${USER}`] = [403, { title: "Not yours", detail: "For operators." }];
  await signInAgain();
  expect(document.body.textContent).not.toContain(PHONE);
  await until(() => document.body.textContent?.includes("For operators."));
  expect(document.querySelector(".account-name")?.textContent).toBe("vera");
  expect(document.body.textContent).not.toContain(PHONE);
});

test("who signs in again goes on where they were, and everything is asked anew", async () => {
  const page = document.querySelector(".page");
  answers[`GET /admin/users/${USER}`] = [200, { account: { ...ACCOUNT, phoneNumber: "+49151" } }];
  await signInAgain();
  expect(document.querySelector(".page")).toBe(page);
  await until(() => document.querySelector("h1")?.textContent === "+49151");
});

test("a second Escape, which a browser asks nobody about, leaves the form there", async () => {
  await act(async () => sessionEnded());
  const dialog = document.querySelector("dialog");
  await act(async () => dialog?.close());
  expect(dialog?.isConnected).toBe(true);
  expect(dialog?.open).toBe(true);
  await signInAgain();
});
