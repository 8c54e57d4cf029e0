/** Match runs, each with its steps, and the corpus that they read. */

import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { filters, text } from "../../parts/filters.ts";
import { bringing } from "../brought.ts";
import { rootRoute } from "../root.tsx";

const getParentRoute = () => rootRoute;

export const runsRoute = createRoute({
  getParentRoute,
  path: "/runs",
  validateSearch: filters({ after: text() }),
  component: lazyRouteComponent(() => import("./runs.tsx"), "RunsPage"),
});

export const runRoute = createRoute({
  getParentRoute,
  path: "/runs/$runId",
  component: lazyRouteComponent(() => import("./run.tsx"), "RunPage"),
});

export const corpusRoute = createRoute({
  getParentRoute,
  path: "/corpus",
  component: lazyRouteComponent(() => import("./corpus.tsx"), "CorpusPage"),
});

export const runs = bringing({
  routes: [runsRoute, runRoute, corpusRoute],
  connection: (connection) =>
    connection.capability === "runs" && connection.what === "run" ? `/runs/${connection.id}` : null,
});
