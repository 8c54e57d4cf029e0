// Matches and the work that hangs on their kickoffs.
import { strict as assert } from "node:assert";

const STEPS = ["analysis", "lineups", "predictions"];
const PLANNED = /^(?!.*not planned)/;

export const tasks = {
  "fixtures: after kill -9 every match of the next 48 h has its delayed jobs": async ({
    operator,
    api,
  }) => {
    const { page, go, axe } = await operator();
    await go("fixtures");
    const { fixtures } = await api("GET", "/fixtures");
    assert.equal(fixtures.length, 3);
    for (const { fixture } of fixtures) {
      const row = page.getByRole("row", { name: new RegExp(fixture.away) });
      // What the killed one had not planned yet, the next one does.
      const said = await row.getByRole("img", { name: PLANNED }).getAttribute("aria-label");
      assert.deepEqual(
        said.split("; ").map((step) => step.split(" ")[0]),
        STEPS,
      );
    }
    await page.getByRole("link", { name: /Last/ }).click();
    await page.getByRole("region", { name: "Steps" }).getByText("scheduled").first().waitFor();
    await page.getByText("Last <i>home</i>").first().waitFor();
    await axe();
    await page.getByRole("link", { name: "analysis" }).click();
    await page.getByRole("region", { name: "Why it is not running" }).waitFor();
  },
};
