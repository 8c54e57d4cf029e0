/** Reports and appeals: a queue for people who decide. */

import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import type { Answers } from "../../api/client.ts";
import { filters, oneOf, text } from "../../parts/filters.ts";
import { bringing } from "../brought.ts";
import { rootRoute } from "../root.tsx";

export const REPORT_STATES = [
  "open",
  "decided",
  "dismissed",
] as const satisfies readonly Answers["ReportStatus"][];

const getParentRoute = () => rootRoute;

export const moderationRoute = createRoute({
  getParentRoute,
  path: "/moderation",
  validateSearch: filters({ status: oneOf(REPORT_STATES), userId: text(), after: text() }),
  component: lazyRouteComponent(() => import("./moderation.tsx"), "ModerationPage"),
});

export const reportRoute = createRoute({
  getParentRoute,
  path: "/moderation/$reportId",
  component: lazyRouteComponent(() => import("./report.tsx"), "ReportPage"),
});

export const safety = bringing({ routes: [moderationRoute, reportRoute] });
