/** All addresses under /dashboard, and what is at each. */

import { createRoute, createRouter, redirect } from "@tanstack/react-router";
import * as registry from "./pages/registry.ts";
import { rootRoute } from "./pages/root.tsx";
import { parseSearch, stringifySearch } from "./parts/filters.ts";
import { Loading } from "./parts/states.tsx";

const index = createRoute({
  getParentRoute: () => rootRoute,
  path: "/",
  beforeLoad: () => {
    throw redirect({ to: "/overview", replace: true });
  },
});

type Brought = (typeof registry)[keyof typeof registry];
type PageRoute = Brought["routes"][number]; // of all folders: what links may lead to

const routeTree = rootRoute.addChildren([
  index,
  ...Object.values(registry).flatMap<PageRoute>((brought) => brought.routes),
]);

export const router = createRouter({
  routeTree,
  basepath: "/dashboard",
  parseSearch,
  stringifySearch,
  defaultPreload: false,
  defaultPendingComponent: () => <Loading />,
  scrollRestoration: true,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
