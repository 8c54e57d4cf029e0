import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act } from "react";
import { createRoot, type Root } from "react-dom/client";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { DashboardContext } from "../session/dashboard.ts";
import { BulkProvider, BulkTray, useBulk } from "./bulk.tsx";

Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
  readonly headers: Headers;
}

const BULK = {
  id: 5,
  action: "requeue",
  filter: { kind: "shop.mail" },
  reason: "back",
  state: "waiting",
  askedBy: "anna",
  askedAt: new Date().toISOString(),
  undoUntil: new Date(Date.now() + 30_000).toISOString(),
  undoable: true,
  undoneAt: null,
  undoneBy: null,
  matched: 1000,
  atLeast: true,
  changed: 0,
  passed: 0,
  jobId: null,
};

let asked: Asked[] = [];
let answers: Record<string, () => [number, unknown]> = {};
let root: Root;

beforeEach(() => {
  asked = [];
  answers = {
    "GET /admin/bulk/preview": () => [200, { matched: 1000, atLeast: true }],
    "POST /admin/bulk": () => [201, BULK],
    "GET /admin/bulk": () => [200, { actions: [BULK], next: null }],
    "POST /admin/bulk/5/undo": () => [200, { ...BULK, state: "undone" }],
  };
  vi.stubGlobal("fetch", async (request: Request) => {
    const { pathname } = new URL(request.url);
    const text = await request.text();
    const body = text ? JSON.parse(text) : null;
    asked.push({ method: request.method, path: pathname, body, headers: request.headers });
    const [status, said] = answers[`${request.method} ${pathname}`]?.() ?? [404, {}];
    return Response.json(said, { status });
  });
  document.body.innerHTML = "<div id=root></div>";
  root = createRoot(document.getElementById("root") as HTMLElement);
});

afterEach(async () => {
  await act(() => root.unmount());
  vi.unstubAllGlobals();
});

function Asking({ filter }: { readonly filter: Record<string, string> }) {
  const bulk = useBulk();
  const request = { action: "requeue", filter, things: "dead letters", what: "Put back." } as const;
  return (
    <button type="button" id="ask" onClick={() => bulk(request)}>
      Ask
    </button>
  );
}

async function shown(role: "operator" | "viewer", filter: Record<string, string> = {}) {
  const dashboard = {
    version: "",
    caller: { role, name: "anna", endsAt: null },
    pages: [],
    capabilities: [],
  };
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  await act(async () =>
    root.render(
      <QueryClientProvider client={queries}>
        <DashboardContext value={dashboard}>
          <BulkProvider>
            <Asking filter={filter} />
            <BulkTray />
          </BulkProvider>
        </DashboardContext>
      </QueryClientProvider>,
    ),
  );
  await settled();
}

const settled = () => act(() => new Promise((resolve) => setTimeout(resolve, 20)));
const one = <E extends Element>(selector: string) => document.querySelector<E>(selector);
const calls = (method: string) => asked.filter((call) => call.method === method);

async function click(selector: string) {
  await act(async () => one<HTMLElement>(selector)?.click());
  await settled();
}

async function submit(reason: string) {
  const field = one<HTMLInputElement>("dialog input[name=reason]");
  if (field) {
    field.value = reason;
  }
  await act(async () => one<HTMLFormElement>("dialog form")?.requestSubmit());
  await settled();
}

test("counted first; then asked for with the reason, once", async () => {
  await shown("operator", { kind: "shop.mail" });
  await click("#ask");
  expect(one("dialog")?.textContent).toContain("1,000+ dead letters match");
  expect(calls("POST")).toHaveLength(0);
  await submit("the server is back");
  const [call] = calls("POST");
  expect(call?.body).toEqual({
    action: "requeue",
    reason: "the server is back",
    filter: { kind: "shop.mail" },
    everything: false,
  });
  expect(call?.headers.get("x-handfast-change")).toBe("1");
  expect(call?.headers.get("idempotency-key")).toMatch(/^[\da-f]{8}-[\da-f]{4}-4/);
  expect(one("dialog")).toBeNull();
});

test("sent again after a failure, it has the same key", async () => {
  await shown("operator", { kind: "shop.mail" });
  answers["POST /admin/bulk"] = () => [503, { title: "Away", detail: "It is away." }];
  await click("#ask");
  await submit("once");
  expect(one("dialog")?.textContent).toContain("It is away.");
  await submit("twice");
  const keys = calls("POST").map((call) => call.headers.get("idempotency-key"));
  expect(keys).toHaveLength(2);
  expect(keys[0]).toBe(keys[1]);
});

test("sent again after a refusal, which is kept under its key, it has another", async () => {
  await shown("operator", { kind: "shop.mail" });
  answers["POST /admin/bulk"] = () => [422, { title: "Not so", detail: "That is too long." }];
  await click("#ask");
  await submit("once");
  answers["POST /admin/bulk"] = () => [201, BULK];
  await submit("put right");
  const keys = calls("POST").map((call) => call.headers.get("idempotency-key"));
  expect(keys).toHaveLength(2);
  expect(keys[0]).not.toBe(keys[1]);
  expect(one("dialog")).toBeNull();
});

test("sent again while the first is under way, it has the same key", async () => {
  await shown("operator", { kind: "shop.mail" });
  const code = "IDEMPOTENCY_IN_PROGRESS";
  answers["POST /admin/bulk"] = () => [409, { code, title: "Wait", detail: "It is running." }];
  await click("#ask");
  await submit("once");
  await submit("twice");
  const keys = calls("POST").map((call) => call.headers.get("idempotency-key"));
  expect(keys).toHaveLength(2);
  expect(keys[0]).toBe(keys[1]);
});

test("nothing that narrows it down has to be meant", async () => {
  await shown("operator");
  await click("#ask");
  expect(one<HTMLInputElement>("dialog input[type=checkbox]")?.required).toBe(true);
});

test("undone while it waits", async () => {
  await shown("operator");
  expect(one(".bulk-card")?.textContent).toContain("1,000+ in");
  await click(".bulk-card button[data-acts]");
  expect(calls("POST").map((call) => call.path)).toEqual(["/admin/bulk/5/undo"]);
});

test("an undo that comes too late says so", async () => {
  await shown("operator");
  answers["POST /admin/bulk/5/undo"] = () => [
    409,
    { title: "Conflict", detail: "It has begun.", message: "It has begun. Cancel its job." },
  ];
  await click(".bulk-card button[data-acts]");
  expect(one(".bulk-card .problem")?.textContent).toContain("Cancel its job.");
});

test("a viewer sees how far it is, and no button", async () => {
  await shown("viewer");
  expect(one(".bulk-card")).not.toBeNull();
  expect(one("[data-acts]")).toBeNull();
  await click("#ask");
  expect(one("dialog")).toBeNull();
});
