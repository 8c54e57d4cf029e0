/** People: found by phone, name or id; for operators alone. */

import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import type { Answers } from "../../api/client.ts";
import { filters, oneOf, text } from "../../parts/filters.ts";
import { bringing } from "../brought.ts";
import { rootRoute } from "../root.tsx";

export const USER_STATES = [
  "active",
  "suspended",
  "pending_verification",
  "non_matching",
  "deleted",
] as const satisfies readonly Answers["UserStatus"][];

const getParentRoute = () => rootRoute;

export const peopleRoute = createRoute({
  getParentRoute,
  path: "/people",
  validateSearch: filters({
    phone: text(),
    name: text(),
    status: oneOf(USER_STATES),
    after: text(),
  }),
  component: lazyRouteComponent(() => import("./people.tsx"), "PeoplePage"),
});

export const personRoute = createRoute({
  getParentRoute,
  path: "/people/$userId",
  component: lazyRouteComponent(() => import("./person.tsx"), "PersonPage"),
});

export const people = bringing({
  routes: [peopleRoute, personRoute],
  connection: (connection) =>
    connection.what === "user" && ["people", "identity"].includes(connection.capability)
      ? `/people/${connection.id}`
      : null,
});
