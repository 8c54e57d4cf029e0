/** Where events go, and how it went. */

import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import type { Answers } from "../../api/client.ts";
import { filters, oneOf, whole } from "../../parts/filters.ts";
import { bringing } from "../brought.ts";
import { rootRoute } from "../root.tsx";

export const OUTCOMES = [
  "delivered",
  "failed",
  "refused",
  "gone",
  "skipped",
] as const satisfies readonly Answers["DeliveryOutcome"][];

const getParentRoute = () => rootRoute;

export const webhooksRoute = createRoute({
  getParentRoute,
  path: "/webhooks",
  validateSearch: filters({ outcome: oneOf(OUTCOMES), after: whole() }),
  component: lazyRouteComponent(() => import("./webhooks.tsx"), "WebhooksPage"),
});

export const endpointRoute = createRoute({
  getParentRoute,
  path: "/webhooks/$endpointId",
  validateSearch: filters({ after: whole() }),
  component: lazyRouteComponent(() => import("./endpoint.tsx"), "EndpointPage"),
});

export const webhooks = bringing({ routes: [webhooksRoute, endpointRoute] });
