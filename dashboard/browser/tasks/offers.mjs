// Offers: the world at nine, and why a user got what they got.
import { strict as assert } from "node:assert";

export const tasks = {
  "offers: see why a user got their set": async ({ operator, api, seed }) => {
    const { page, go, axe } = await operator();
    const day = await seed("offers.day_of_sets");
    await go(`offers?date=${day}`);
    await page.getByRole("img", { name: `Where it is nine o'clock on ${day}` }).waitFor();
    const zones = page.getByRole("region", { name: "Zones, by when it is nine" });
    await zones.getByText(/^Etc\/GMT/).waitFor();
    await zones.getByText("done").first().waitFor();
    await page.getByRole("region", { name: "Rounds" }).last().getByText(day).waitFor();
    await axe();
    // Somebody who has a set: their job's key says who.
    const { jobs } = await api("GET", `/admin/jobs?kind=offers.daily&key=${day}`);
    const user = jobs
      .find((job) => job.state === "succeeded")
      .key.split(":")
      .at(-1);
    await page.getByLabel("A user's sets").fill(user);
    await page.keyboard.press("Enter");
    const set = page.getByRole("region", { name: `daily_offers of ${day}` });
    await set.getByText("both are shown each other").first().waitFor();
    await set
      .getByRole("link", { name: /^Explain / })
      .first()
      .click();
    await page.getByText(/^Taken: mutual, at place \d\.$/).waitFor();
    assert.match(page.url(), /candidate=[0-9a-f-]{36}/);
    await page.getByText("What this user sees in the candidate").waitFor();
    await axe();
    await page.getByLabel("Candidate").fill(user);
    await page.getByText("nobody is offered to themselves").waitFor();
  },

  "offers: nine o'clock on the overview, and a date of which nothing is known": async ({
    operator,
  }) => {
    const { page, go } = await operator();
    await go("overview");
    await page.getByRole("heading", { name: "Nine o'clock around the world" }).waitFor();
    await page.getByText("it is nine here").waitFor();
    await go("offers?date=2019-01-01");
    await page.getByText("No set is due on 2019-01-01.").waitFor();
    await go("offers/users/not-an-id");
    await page.getByText("A user's id is a UUID.").waitFor();
    await go("offers/users/00000000-0000-4000-8000-000000000000");
    await page.getByText(/there is no such user/).waitFor();
  },
};
