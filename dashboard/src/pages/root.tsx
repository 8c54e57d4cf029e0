/** The route above all pages. A page's folder hangs its routes on it; see `registry.ts`. */

import { createRootRoute } from "@tanstack/react-router";
import { NotFound, PageFailed } from "../shell/failed.tsx";
import { Root } from "../shell/root.tsx";

export const rootRoute = createRootRoute({
  component: Root,
  notFoundComponent: NotFound,
  errorComponent: PageFailed,
});
