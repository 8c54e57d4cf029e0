/** Money: what all accounts come to, seals over them, and one player's entries. */

import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { filters, oneOf, text, whole } from "../../parts/filters.ts";
import { bringing } from "../brought.ts";
import { rootRoute } from "../root.tsx";
import { addressOfTransfer } from "./references.ts";

const getParentRoute = () => rootRoute;

export const ledgerRoute = createRoute({
  getParentRoute,
  path: "/ledger",
  validateSearch: filters({ after: whole() }),
  component: lazyRouteComponent(() => import("./ledger.tsx"), "LedgerPage"),
});

export const playerRoute = createRoute({
  getParentRoute,
  path: "/ledger/players/$playerId",
  validateSearch: filters({ account: oneOf(["wallet", "credit"]), after: text(2000) }),
  component: lazyRouteComponent(() => import("./player-page.tsx"), "PlayerPage"),
});

export const ledger = bringing({
  routes: [ledgerRoute, playerRoute],
  connection: ({ capability, facts }) =>
    capability === "ledger" ? addressOfTransfer(String(facts?.reference ?? "")) : null,
});
