// Match runs: the public page, the list, one run, the corpus.
import { strict as assert } from "node:assert";

const CLICKS = 20;

export const tasks = {
  "runs: twenty clicks are one run, which becomes ready": async ({
    stranger,
    operator,
    api,
    base,
  }) => {
    const visitor = await stranger();
    await visitor.page.goto(`${base}/match`);
    await visitor.page.getByLabel("Your startup's site").fill("https://www.acme.com/#team");
    // As a finger does it: faster than any page is drawn.
    await visitor.page.evaluate((clicks) => {
      for (let click = 0; click < clicks; click++) {
        document.querySelector("form button").click();
      }
    }, CLICKS);
    await visitor.page.getByRole("region", { name: "Result" }).getByText("Oak").first().waitFor();
    await visitor.axe();
    const { runs } = await api("GET", "/api/match/runs");
    assert.equal(runs.length, 1);
    // As long as the signal agrees, or empty where one side says nothing.
    const { matches } = await api("GET", `/api/match/run/${runs[0].runId}`);
    const agrees = matches.flatMap(({ why }) => why.map((signal) => (signal.agrees ?? 0) / 100));
    const bars = visitor.page.locator("meter");
    const shown = await bars.evaluateAll((all) => all.map((bar) => bar.value / bar.max));
    assert.deepEqual(shown, agrees);
    assert.ok(agrees.some((one) => one > 0 && one < 1));
    const { page, go, axe } = await operator();
    await go("runs");
    await page.getByRole("link", { name: "https://acme.com" }).click();
    await page.locator(".page-about .badge", { hasText: "ready" }).waitFor();
    await page.locator(".steps").getByText("finalize").waitFor();
    await page.getByRole("region", { name: "Matches" }).getByText("Oak").first().waitFor();
    await axe();
  },

  "runs: the corpus and its versions": async ({ operator }) => {
    const { page, go } = await operator();
    await go("corpus");
    await page.getByRole("heading", { name: "Version 1" }).waitFor();
    await page.getByText("current", { exact: true }).first().waitFor();
  },
};
