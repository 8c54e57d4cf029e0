/** What can be done with an endpoint; each says first what will happen. */

import type { ReactNode } from "react";
import { useState } from "react";
import { type Answers, patch, post, remove } from "../../api/client.ts";
import type { ActionRequest } from "../../parts/actions.tsx";
import { Copy } from "../../parts/copy.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { serverNow } from "../../time/clock.ts";

export type Endpoint = Answers["Endpoint"];

const at = (endpoint: Endpoint) => ({ path: { endpoint_id: endpoint.id } });

export function adding(onSecret: (secret: string) => void): ActionRequest {
  return {
    title: "Register an endpoint",
    what: "Events that happen from now on are posted there, signed. Its secret is shown once.",
    confirm: "Register",
    fields: [
      { name: "url", label: "Address", hint: "https, and reachable from the server" },
      {
        name: "types",
        label: "Event types",
        isOptional: true,
        hint: "with commas between, such as match.created, stake.*; none means all",
      },
      { name: "description", label: "Description", isOptional: true },
    ],
    run: async ({ key, values }) => {
      const types = (values.types ?? "").split(/[\s,]+/).filter(Boolean);
      const body = { url: values.url ?? "", types, description: values.description ?? "" };
      const { secret, endpoint } = await post("/webhooks/endpoints", { body }, key);
      onSecret(secret);
      return `${endpoint.url} is registered.`;
    },
  };
}

export function pausingEndpoint(endpoint: Endpoint): ActionRequest {
  return {
    title: "Pause this endpoint",
    what: (
      <p>
        Nothing more goes to <bdi>{endpoint.url}</bdi> until it is resumed. What waits is skipped;
        it can be replayed afterwards.
      </p>
    ),
    confirm: "Pause",
    run: async ({ key }) => {
      const params = at(endpoint);
      await patch("/webhooks/endpoints/{endpoint_id}", { params, body: { state: "paused" } }, key);
      return "The endpoint is paused.";
    },
  };
}

export function resumingEndpoint(endpoint: Endpoint): ActionRequest {
  return {
    title: "Resume this endpoint",
    what: "It gets what happens from now on. What it missed can be replayed.",
    confirm: "Resume",
    run: async ({ key }) => {
      const params = at(endpoint);
      await patch("/webhooks/endpoints/{endpoint_id}", { params, body: { state: "active" } }, key);
      return "The endpoint is active.";
    },
  };
}

export function rotating(endpoint: Endpoint, onSecret: (secret: string) => void): ActionRequest {
  return {
    title: "Rotate the secret",
    what: "A new secret signs from now on, and the old one beside it for as long as you say: time to roll the new one out.",
    confirm: "Rotate",
    fields: [
      {
        name: "hours",
        label: "Hours in which the old one signs too",
        kind: "number",
        initial: "24",
        hint: "from 0 to 168",
      },
    ],
    run: async ({ key, values }) => {
      const overlapSeconds = Math.round(Number(values.hours) * 3_600);
      const params = { ...at(endpoint), query: { overlapSeconds } };
      const { secret } = await post("/webhooks/endpoints/{endpoint_id}/rotate", { params }, key);
      onSecret(secret);
      return "A new secret signs.";
    },
  };
}

export function replaying(endpoint: Endpoint): ActionRequest {
  const until = serverNow(); // not when it is sent: sent again, it is the same range
  return {
    title: "Replay events",
    what: (
      <p>
        Events of the last hours are sent to <bdi>{endpoint.url}</bdi> once more, under their old
        ids: a receiver that keeps to the contract takes each once.
      </p>
    ),
    confirm: "Replay",
    fields: [
      {
        name: "hours",
        label: "Of the last hours",
        kind: "number",
        initial: "1",
        hint: "at most 168, which is seven days",
      },
      { name: "onlyMissing", label: "Only what was never delivered", kind: "check" },
    ],
    run: async ({ key, values }) => {
      const since = until - Number(values.hours) * 3_600_000;
      const body = {
        since: new Date(since).toISOString(),
        until: new Date(until).toISOString(),
        onlyMissing: values.onlyMissing === "on",
      };
      const params = at(endpoint);
      const sent = await post("/webhooks/endpoints/{endpoint_id}/replay", { params, body }, key);
      return `${sent.deliveries.toLocaleString("en")} deliveries are on their way.`;
    },
  };
}

export function replayingOne(endpointId: string, eventId: string): ActionRequest {
  return {
    title: "Replay this event",
    what: "It is sent once more, under its old id: a receiver that keeps to the contract takes it once.",
    confirm: "Replay",
    run: async ({ key }) => {
      const params = { path: { endpoint_id: endpointId } };
      const body = { eventId, onlyMissing: false };
      await post("/webhooks/endpoints/{endpoint_id}/replay", { params, body }, key);
      return "One delivery is on its way.";
    },
  };
}

export function removing(endpoint: Endpoint, onDone: () => void): ActionRequest {
  return {
    title: "Remove this endpoint",
    what: (
      <p>
        <bdi>{endpoint.url}</bdi> is forgotten with its secrets; what waits for it is skipped. This
        cannot be undone.
      </p>
    ),
    confirm: "Remove",
    isDangerous: true,
    run: async ({ key }) => {
      await remove("/webhooks/endpoints/{endpoint_id}", { params: at(endpoint) }, key);
      onDone();
      return "The endpoint is removed.";
    },
  };
}

/** A secret is there once: `show(secret)` opens it, `box` goes into the page. */
export function useSecret(): { readonly show: (secret: string) => void; readonly box: ReactNode } {
  const [secret, show] = useState<string | null>(null);
  const box = secret !== null && (
    <Dialog title="The new secret" onClose={() => show(null)}>
      <p>Give it to the receiver now: it is shown this once.</p>
      <p className="row">
        <code>{secret}</code>
        <Copy text={secret} what="secret" />
      </p>
      <footer className="dialog-foot">
        <button type="button" className="button button-primary" onClick={() => show(null)}>
          I have it
        </button>
      </footer>
    </Dialog>
  );
  return { show, box };
}
