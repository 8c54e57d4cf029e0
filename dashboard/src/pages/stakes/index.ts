/** The staked queue: who waits, who plays, where the money is, and what a person has to decide. */

import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import type { Answers } from "../../api/client.ts";
import { filters, oneOf, text, whole } from "../../parts/filters.ts";
import { bringing } from "../brought.ts";
import { rootRoute } from "../root.tsx";

export const SESSION_STATES = [
  "waiting",
  "playing",
  "settled",
  "disputed",
  "void",
] as const satisfies readonly Answers["SessionStatus"][];

export const TICKET_STATES = [
  "queued",
  "matched",
  "expired",
  "cancelled",
] as const satisfies readonly Answers["TicketStatus"][];

const getParentRoute = () => rootRoute;

export const queuesRoute = createRoute({
  getParentRoute,
  path: "/stakes",
  component: lazyRouteComponent(() => import("./queues.tsx"), "QueuesPage"),
});

export const ticketsRoute = createRoute({
  getParentRoute,
  path: "/stakes/tickets",
  validateSearch: filters({
    player: text(),
    amount: whole(),
    status: oneOf(TICKET_STATES),
    after: whole(),
  }),
  component: lazyRouteComponent(() => import("./tickets.tsx"), "TicketsPage"),
});

export const ticketRoute = createRoute({
  getParentRoute,
  path: "/stakes/tickets/$ticketId",
  component: lazyRouteComponent(() => import("./ticket.tsx"), "TicketPage"),
});

export const sessionsRoute = createRoute({
  getParentRoute,
  path: "/stakes/sessions",
  validateSearch: filters({ status: oneOf(SESSION_STATES), after: whole() }),
  component: lazyRouteComponent(() => import("./sessions.tsx"), "SessionsPage"),
});

export const sessionRoute = createRoute({
  getParentRoute,
  path: "/stakes/sessions/$sessionId",
  component: lazyRouteComponent(() => import("./session.tsx"), "SessionPage"),
});

export const disputesRoute = createRoute({
  getParentRoute,
  path: "/stakes/disputes",
  validateSearch: filters({ status: oneOf(["resolved", "all"]), after: whole() }),
  component: lazyRouteComponent(() => import("./disputes.tsx"), "DisputesPage"),
});

export const stakes = bringing({
  routes: [queuesRoute, ticketsRoute, ticketRoute, sessionsRoute, sessionRoute, disputesRoute],
});
