// Two pages from one set of parts: the operators' (index.html) and the public one (match.html).
// Both are served by Handfast itself, under a strict policy: nothing inline, nothing from elsewhere.
import { fileURLToPath } from "node:url";
import optimizeLocales from "@react-aria/optimize-locales-plugin";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  base: "/dashboard/",
  plugins: [react(), { ...optimizeLocales.vite({ locales: ["en-US"] }), enforce: "pre" }],
  resolve: {
    // The hook from its sources: its package is built for others.
    alias: {
      "@handfast/match-run/react": here("match-run/src/react.ts"),
      "@handfast/match-run": here("match-run/src/index.ts"),
    },
  },
  build: {
    outDir: process.env.DASHBOARD_OUT ?? here("../src/handfast/edge/dashboard"),
    emptyOutDir: true,
    target: "es2022",
    modulePreload: { polyfill: false }, // an inline script otherwise
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    rolldownOptions: { input: { index: here("index.html"), match: here("match.html") } },
  },
  // `node_modules/.bin/vite` beside a running Handfast: the API is asked there.
  server: {
    host: "127.0.0.1",
    proxy: Object.fromEntries(
      ["/admin", "/api", "/webhooks", "/fixtures", "/openapi.json"].map((path) => [
        path,
        process.env.SERVER_URL ?? "http://127.0.0.1:8000",
      ]),
    ),
  },
});
