import { defineConfig } from "vitest/config";

// Time is frozen in the tests; the limits are for what hangs, on a machine that may be busy.
export default defineConfig({
  test: {
    include: ["tests/**/*.test.{ts,tsx}"],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    maxWorkers: 2,
  },
});
