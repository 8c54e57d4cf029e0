/** The engine's own pages. Each is loaded when it is gone to. */

import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import type { Answers } from "../../api/client.ts";
import { filters, oneOf, text, whole } from "../../parts/filters.ts";
import { bringing } from "../brought.ts";
import { rootRoute } from "../root.tsx";

export const JOB_STATES = [
  "scheduled",
  "ready",
  "running",
  "blocked",
  "succeeded",
  "cancelled",
  "skipped",
  "dead",
] as const satisfies readonly Answers["JobState"][];

const getParentRoute = () => rootRoute;

export const overviewRoute = createRoute({
  getParentRoute,
  path: "/overview",
  component: lazyRouteComponent(() => import("./overview.tsx"), "OverviewPage"),
});

export const jobsRoute = createRoute({
  getParentRoute,
  path: "/jobs",
  validateSearch: filters({
    key: text(),
    kind: text(),
    lane: text(),
    state: oneOf(JOB_STATES),
    after: whole(),
  }),
  component: lazyRouteComponent(() => import("./jobs.tsx"), "JobsPage"),
});

export const jobRoute = createRoute({
  getParentRoute,
  path: "/jobs/$jobId",
  component: lazyRouteComponent(() => import("./job.tsx"), "JobPage"),
});

export const deadRoute = createRoute({
  getParentRoute,
  path: "/dead",
  validateSearch: filters({
    text: text(),
    kind: text(),
    lane: text(),
    errorClass: text(),
    since: text(),
    after: text(),
  }),
  component: lazyRouteComponent(() => import("./dead.tsx"), "DeadPage"),
});

export const schedulesRoute = createRoute({
  getParentRoute,
  path: "/schedules",
  component: lazyRouteComponent(() => import("./schedules.tsx"), "SchedulesPage"),
});

export const workersRoute = createRoute({
  getParentRoute,
  path: "/workers",
  component: lazyRouteComponent(() => import("./workers.tsx"), "WorkersPage"),
});

export const settingsRoute = createRoute({
  getParentRoute,
  path: "/settings",
  component: lazyRouteComponent(() => import("./settings.tsx"), "SettingsPage"),
});

export const auditRoute = createRoute({
  getParentRoute,
  path: "/audit",
  validateSearch: filters({ actor: text(), action: text(), subject: text(), after: whole() }),
  component: lazyRouteComponent(() => import("./audit.tsx"), "AuditPage"),
});

export const engine = bringing({
  routes: [
    overviewRoute,
    jobsRoute,
    jobRoute,
    deadRoute,
    schedulesRoute,
    workersRoute,
    settingsRoute,
    auditRoute,
  ],
});
