/** What the server says first: who is signed in, which pages there are, what is switched on. */

import { createContext, useContext } from "react";
import { type Answers, reading } from "../api/client.ts";

export type Dashboard = Answers["Dashboard"];
export type Caller = Dashboard["caller"];

export const whoIsHere = reading("/admin/dashboard", {}, { everySeconds: 300 });

const NOBODY: Dashboard = {
  version: "",
  caller: { role: "viewer", name: "", endsAt: null },
  pages: [],
  capabilities: [],
};

export const DashboardContext = createContext<Dashboard>(NOBODY);

export function useDashboard(): Dashboard {
  return useContext(DashboardContext);
}

export function useCaller(): Caller {
  return useDashboard().caller;
}
