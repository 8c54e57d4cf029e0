/** From one person's page to another's: the id is in the address at once, and so is what is shown. */

import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { act } from "react";
import { createRoot, type Root } from "react-dom/client";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });

const ANNA = "0199f2a0-0000-7000-8000-00000000000a";
const BERT = "0199f2a0-0000-7000-8000-00000000000b";
const AT = "2026-05-03T12:00:00Z";

let answers: Record<string, unknown>;
let root: Root;

beforeEach(() => {
  vi.resetModules(); // a router that has been nowhere
  const caller = { role: "operator", name: "olga", endsAt: null };
  const capabilities = ["ledger", "stakes", "offers", "webhooks"];
  answers = { "/admin/dashboard": { version: "1", caller, pages: [], capabilities } };
  vi.stubGlobal("fetch", async (asked: Request | string) => {
    const request = new Request(typeof asked === "string" ? `http://here${asked}` : asked);
    const { pathname, search } = new URL(request.url);
    const said = answers[pathname + search] ?? answers[pathname];
    return said === undefined ? new Promise<never>(() => undefined) : Response.json(said);
  });
  document.body.innerHTML = "<div id=root></div>";
  root = createRoot(document.getElementById("root") as HTMLElement);
});

afterEach(async () => {
  await act(() => root.unmount());
  vi.unstubAllGlobals();
});

async function until(isSo: () => boolean | undefined) {
  for (let left = 100; left > 0 && !isSo(); left--) {
    await act(() => new Promise((resolve) => setTimeout(resolve, 20)));
  }
  expect(isSo()).toBe(true);
}

const shows = (text: string) => document.body.textContent?.includes(text) ?? false;
const shown = (text: string) => until(() => shows(text));

const endpoint = (id: string, url: string) => ({
  id,
  url,
  types: [],
  description: "",
  state: "active",
  reason: null,
  createdAt: AT,
  stateSince: AT,
  failingSince: null,
});

const PAGES = [
  {
    at: "/ledger/players/",
    asks: (id: string) => `/admin/players/${id}/ledger`,
    answer: (mark: string) => ({
      wallet: 1,
      credit: 2,
      held: 3,
      currency: "EUR",
      lines: [
        {
          transferId: 1,
          line: 1,
          at: AT,
          kind: "paid_in",
          entryKind: "paid_in",
          amount: 1,
          balance: 1,
          reference: mark,
          sessionId: null,
          queueId: null,
        },
      ],
      next: 17,
    }),
    narrow: { account: "credit" as const },
  },
  {
    at: "/offers/users/",
    asks: (id: string) => `/admin/offers/users/${id}`,
    answer: (mark: string) => ({
      sets: [
        {
          id: "1",
          type: "daily",
          day: "2026-05-03",
          status: "empty",
          zone: mark,
          dueAt: AT,
          madeAt: AT,
          removed: [],
          offers: [],
        },
      ],
    }),
    narrow: { until: "2026-05-01" },
  },
  {
    at: "/webhooks/",
    asks: (id: string) => `/webhooks/endpoints/${id}/attempts`,
    answer: (mark: string) => ({
      attempts: [
        {
          id: 1,
          at: AT,
          eventId: ANNA,
          eventType: mark,
          attempt: 1,
          outcome: "delivered",
          status: 200,
          seconds: 0.1,
          error: null,
          excerpt: null,
          jobId: 1,
        },
      ],
      next: 1,
    }),
    narrow: { after: 1 },
  },
];

test.each(PAGES)("$at: nothing of the one before stands under another id", async (page) => {
  const { router } = await import("../router.tsx");
  const { createQueries } = await import("../queries.ts");
  answers["/webhooks/endpoints"] = {
    endpoints: [endpoint(ANNA, "https://anna.example/"), endpoint(BERT, "https://bert.example/")],
  };
  answers[page.asks(ANNA)] = page.answer("mark-of-anna");
  window.history.replaceState(null, "", `/dashboard${page.at}${ANNA}`);
  await act(async () =>
    root.render(
      <QueryClientProvider client={createQueries()}>
        <RouterProvider router={router} />
      </QueryClientProvider>,
    ),
  );
  await shown("mark-of-anna");

  // Another part of the same: the one before stays until it is there.
  delete answers[page.asks(ANNA)];
  await act(() => router.navigate({ to: page.at + ANNA, search: page.narrow }));
  await until(() => window.location.search !== "");
  expect(shows("mark-of-anna")).toBe(true);

  await act(() => router.navigate({ to: page.at + BERT, search: {} }));
  await until(() => window.location.pathname.endsWith(BERT));
  await shown(page.at === "/webhooks/" ? "bert.example" : BERT);
  expect(shows("mark-of-anna")).toBe(false);
});
