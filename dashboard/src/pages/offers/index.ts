/** Daily offers: nine o'clock around the world, rounds and their figures, a user's sets and why. */

import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { lazy } from "react";
import { filters, text } from "../../parts/filters.ts";
import { bringing } from "../brought.ts";
import { rootRoute } from "../root.tsx";

const getParentRoute = () => rootRoute;

/** A date as the API has them, `2026-02-19`; anything else is as if it was not said. */
export function day(): (said: string) => string | undefined {
  return (said) =>
    /^\d{4}-\d\d-\d\d$/.test(said) && !Number.isNaN(Date.parse(said)) ? said : undefined;
}

export const offersRoute = createRoute({
  getParentRoute,
  path: "/offers",
  validateSearch: filters({ date: day(), before: day() }),
  component: lazyRouteComponent(() => import("./offers.tsx"), "OffersPage"),
});

export const userRoute = createRoute({
  getParentRoute,
  path: "/offers/users/$userId",
  validateSearch: filters({ until: day(), candidate: text(36), date: day() }),
  component: lazyRouteComponent(() => import("./user.tsx"), "UserPage"),
});

export const offers = bringing({
  routes: [offersRoute, userRoute],
  panels: [
    {
      name: "zones",
      capability: "offers",
      component: lazy(() => import("./zones-panel.tsx")),
    },
  ],
});
