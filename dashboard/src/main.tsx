import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { createQueries } from "./queries.ts";
import { router } from "./router.tsx";
import { applyTheme } from "./shell/theme.ts";
import "./styles/index.css";

// A part of a release that has been replaced since: the page is loaded anew, but not in a circle.
window.addEventListener("vite:preloadError", (event) => {
  const last = Number(sessionStorage.getItem("handfast.reloaded") ?? 0);
  if (Date.now() - last > 60_000) {
    event.preventDefault();
    sessionStorage.setItem("handfast.reloaded", String(Date.now()));
    window.location.reload();
  }
});

applyTheme();
createRoot(document.getElementById("root") as HTMLElement).render(
  <StrictMode>
    <QueryClientProvider client={createQueries()}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
);
