/** What a folder of pages exports: see `pages/engine/index.ts`, and `README.md` for how to begin. */

import type { AnyRoute } from "@tanstack/react-router";
import type { ComponentType } from "react";
import type { Answers } from "../api/client.ts";

export interface OverviewPanel {
  readonly name: string;
  /** Shown while this capability is switched on. */
  readonly capability: string;
  /** Loaded with the overview and not before: `lazy(() => import("./panel.tsx"))`. */
  readonly component: ComponentType;
}

export interface Brought<R extends readonly AnyRoute[]> {
  readonly routes: R;
  readonly panels?: readonly OverviewPanel[];
  /** Where a job's connection leads, for connections of this capability. */
  readonly connection?: (connection: Answers["JobConnection"]) => string | null;
}

/** Keeps the types of the routes, from which those of links and filters come. */
export function bringing<const R extends readonly AnyRoute[]>(brought: Brought<R>): Brought<R> {
  return brought;
}
