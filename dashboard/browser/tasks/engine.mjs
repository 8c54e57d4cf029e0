// The engine's own pages.
import { strict as assert } from "node:assert";

const RECEIPTS = "shop.receipts";

export const tasks = {
  "session: a token signs in, and back to the page that was asked for": async ({
    stranger,
    token,
    base,
    complaints,
  }) => {
    const { page, loaded, axe } = await stranger();
    await page.goto(`${base}/dashboard/dead?kind=shop.mail`);
    await page.getByLabel("Token").waitFor();
    await axe();
    await page.getByLabel("Token").fill("hf_of_nobody_at_all_but_long");
    await page.keyboard.press("Enter");
    await page.getByRole("alert").waitFor();
    await page.getByLabel("Token").fill(token);
    await page.keyboard.press("Enter");
    await loaded();
    await page.getByRole("heading", { level: 1, name: "Dead letters" }).waitFor();
    assert.equal(await page.getByLabel("Kind").inputValue(), "shop.mail");
    expectRefusals(complaints, [401, 403]);
  },

  "session: a code signs in once, and is not left in the address": async ({
    stranger,
    seed,
    base,
    complaints,
  }) => {
    const code = await seed("engine.code");
    const { page, loaded } = await stranger();
    await page.goto(`${base}/dashboard/workers#code=${code}`);
    await loaded();
    await page.getByRole("heading", { level: 1, name: "Workers" }).waitFor();
    assert.equal(page.url(), `${base}/dashboard/workers`);
    const again = await stranger();
    await again.page.goto(`${base}/dashboard#code=${code}`);
    await again.page.getByText("That code signs nobody in.").waitFor();
    assert.ok(!again.page.url().includes("code"));
    expectRefusals(complaints, [401, 403]);
  },

  "session: one that ends in the middle loses nothing": async ({ operator, token, complaints }) => {
    const { page, go, axe } = await operator();
    await go("jobs");
    await page.getByLabel("Find jobs by how their key begins").fill("typed and not sent");
    // Nothing is asked until all is typed: what a page asks by itself would end the session before.
    const typing = Promise.withResolvers();
    await page.route("**/admin/**", async (route) => {
      await typing.promise;
      await route.continue();
    });
    await page.context().clearCookies();
    await page.getByLabel("Kind").fill("shop.later"); // asks the server, who knows nobody
    typing.resolve();
    const dialog = page.getByRole("dialog", { name: "Your session has ended" });
    await dialog.waitFor();
    await axe();
    await dialog.getByLabel("Token").fill(token);
    await page.keyboard.press("Enter");
    await dialog.waitFor({ state: "detached" });
    await page.getByRole("link", { name: "later-1" }).waitFor();
    const typed = page.getByLabel("Find jobs by how their key begins");
    assert.equal(await typed.inputValue(), "typed and not sent");
    expectRefusals(complaints, [401]);
  },

  "session: signing out leaves nothing on the page": async ({
    stranger,
    token,
    base,
    complaints,
  }) => {
    const { page, loaded } = await stranger();
    await page.goto(`${base}/dashboard/overview`);
    await page.getByLabel("Token").fill(token);
    await page.keyboard.press("Enter");
    await loaded();
    await page.getByRole("button", { name: /anna/ }).click();
    await page.getByRole("button", { name: "Sign out", exact: true }).click();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    assert.equal(await page.locator(".figures").count(), 0);
    expectRefusals(complaints, [401]);
  },

  "dead: find one by its key and requeue it, by keyboard alone": async ({ operator, api }) => {
    const { page, go, axe, press, told } = await operator();
    await go("overview");
    await press("/"); // the search by key
    await page.keyboard.type("2");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "Jobs" }).waitFor();
    await page.getByRole("link", { name: "2", exact: true }).first().waitFor();
    // On to the dead letters by the palette.
    await press("Control+k");
    await page.getByRole("dialog", { name: "Command palette" }).waitFor();
    await page.keyboard.type("dead");
    await press("ArrowDown");
    await press("Enter");
    await page.getByRole("heading", { level: 1, name: "Dead letters" }).waitFor();
    await go("dead?kind=shop.invoice");
    await page.getByRole("link", { name: "2", exact: true }).waitFor();
    for (let row = 0; row < 3; row++) {
      await press("j");
      const focused = await page.evaluate(() => document.activeElement.textContent);
      if (focused === "2") {
        break;
      }
    }
    await press("r");
    const dialog = page.getByRole("dialog", { name: "Requeue 2" });
    await dialog.waitFor();
    await axe();
    await page.keyboard.press("Enter"); // "Close" has the focus: what is in front is closed
    await dialog.waitFor({ state: "detached" });
    await press("r");
    await dialog.waitFor();
    await press("Tab");
    await press("Tab");
    await press("Enter");
    await told("1 requeued.");
    await page.getByRole("link", { name: "2", exact: true }).waitFor({ state: "detached" });
    const { letters } = await api("GET", "/admin/dead?kind=shop.invoice");
    assert.deepEqual(letters.map((letter) => letter.key).sort(), ["1", "3"]);
    const { entries } = await api("GET", "/admin/audit?action=dead.requeue");
    assert.equal(entries[0].actor, "anna");
  },

  "dead: select two and discard them with a reason": async ({ operator, api }) => {
    const { page, go, told } = await operator();
    await go("dead?kind=shop.strange");
    const boxes = page.getByRole("checkbox", { name: /^Select (?!all)/ });
    await boxes.nth(0).check();
    await boxes.nth(1).check();
    await page.getByRole("button", { name: "Discard", exact: true }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: "Discard" }).click();
    assert.ok(await dialog.isVisible(), "a reason is asked for");
    await dialog.getByLabel("Reason").fill("somebody played with names");
    await dialog.getByRole("button", { name: "Discard" }).click();
    await told("2 discarded.");
    const { letters } = await api("GET", "/admin/dead?kind=shop.strange");
    assert.equal(letters.length, 1);
  },

  "dead: requeue ten thousand by filter, and undo": async ({ operator, api }) => {
    const { page, go, axe } = await operator();
    await go("dead?kind=shop.mail");
    await page.getByRole("button", { name: "Requeue all that match" }).click();
    const dialog = page.getByRole("dialog", { name: "Requeue all that match" });
    await dialog
      .getByText(/1,000\+/)
      .first()
      .waitFor();
    await axe();
    await dialog.getByLabel("Reason").fill("the mail server is back");
    await dialog.getByRole("button", { name: /^Requeue 1,000/ }).click();
    await dialog.waitFor({ state: "detached" });
    const card = page.getByRole("region", { name: /Bulk action/ });
    await card.getByRole("button", { name: "Undo" }).click(); // there for thirty seconds
    await card.getByText("undone").waitFor();
    await axe();
    const { actions } = await api("GET", "/admin/bulk");
    assert.equal(actions[0].state, "undone");
    assert.equal(actions[0].reason, "the mail server is back");
    const { letters } = await api("GET", "/admin/dead?kind=shop.mail&limit=1");
    assert.equal(letters.length, 1, "all are still there");
  },

  "dead: two operators act on one letter at once": async ({ operator, complaints }) => {
    const [first, second] = [await operator(), await operator()];
    for (const { go, page } of [first, second]) {
      await go("dead?kind=shop.invoice");
      await page.getByRole("link", { name: "3", exact: true }).click();
      // Exactly so: the list, which may still be there, has "Requeue all that match".
      await page.getByRole("button", { name: "Requeue", exact: true }).click();
      await page.getByRole("dialog", { name: "Requeue 3" }).waitFor();
    }
    await first.page.getByRole("dialog").getByRole("button", { name: "Requeue" }).click();
    await first.told(/^3 is /);
    await second.page.getByRole("dialog").getByRole("button", { name: "Requeue" }).click();
    // Whoever comes second is told, or finds it requeued again after it had died again: never silence.
    await Promise.any([
      second.told(/^3 is /),
      second.page.getByRole("dialog").locator(".problem").waitFor(),
    ]);
    expectRefusals(complaints, [409]);
  },

  "gaps: see one and repair it": async ({ operator, api, seed }) => {
    await seed("engine.gap");
    const { page, go, told } = await operator();
    await go("schedules");
    const row = page.getByRole("row", { name: new RegExp(RECEIPTS) });
    await row.getByText("7 never enqueued").waitFor();
    await row.getByRole("button", { name: "Repair" }).click();
    const dialog = page.getByRole("dialog", { name: `Repair ${RECEIPTS}` });
    await dialog.getByText(/7 of 7 jobs/).waitFor();
    await dialog.getByRole("button", { name: "Repair" }).click();
    await told(`7 repaired in ${RECEIPTS}.`);
    await row.getByText("7 never enqueued").waitFor({ state: "detached" });
    const { jobs } = await api("GET", "/admin/jobs?kind=shop.receipt");
    assert.equal(jobs.length, 7);
  },

  "schedules: pause one with a reason, and resume it": async ({ operator, api }) => {
    const { page, go } = await operator();
    await go("schedules");
    const row = page.getByRole("row", { name: /shop\.nightly/ });
    await row.getByRole("button", { name: "Pause" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Reason").fill("<b>inventory</b>");
    await dialog.getByRole("button", { name: "Pause" }).click();
    await row.getByText("<b>inventory</b>").waitFor();
    const { pauses } = await api("GET", "/admin/pauses");
    assert.equal(pauses[0].pausedBy, "anna");
    await row.getByRole("button", { name: "Resume" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Resume" }).click();
    await row.getByRole("button", { name: "Pause" }).waitFor();
  },

  "job: why it does not run, run it now, its whole story": async ({ operator }) => {
    const { page, go, axe, press } = await operator();
    await go("jobs?kind=shop.later&state=scheduled");
    await page.getByRole("link", { name: "later-1" }).click();
    await page.getByRole("region", { name: "Why it is not running" }).waitFor();
    await axe();
    await press("r");
    await page.getByRole("dialog").getByRole("button", { name: "Run now" }).click();
    await page.locator(".page-about .badge", { hasText: "succeeded" }).waitFor();
    await page.getByText(/1, of which 0 failed/).waitFor();
    await page.getByText('"done"').waitFor();
    await axe();
  },

  "job: names of every kind are shown as they are": async ({ operator, api }) => {
    const { page, go } = await operator();
    const { jobs } = await api("GET", "/admin/jobs?kind=shop.strange");
    assert.equal(jobs.length, 6);
    for (const { id, key } of jobs) {
      await go(`jobs/${id}`);
      assert.equal(await page.locator("main h1").textContent(), key);
      const width = await page.evaluate(() => document.documentElement.scrollWidth);
      assert.ok(width <= 1280, `${key.slice(0, 20)} makes the page ${width} wide`);
    }
    await go(`jobs?key=${encodeURIComponent("<img")}`);
    await page.getByRole("link", { name: /<img src=x/ }).waitFor();
    assert.equal(await page.locator("main img").count(), 0);
  },

  "help: the keys that answer here": async ({ operator }) => {
    const { page, go, axe, press } = await operator();
    await go("dead");
    await press("?");
    const help = page.getByRole("dialog", { name: "Keys" });
    await help.getByText("Next row").waitFor();
    await axe();
    await press("Escape");
    await help.waitFor({ state: "detached" });
  },

  "live: the server gone and back": async ({ operator, complaints }) => {
    const { page, go } = await operator();
    await go("overview");
    await page.locator(".live-live").waitFor();
    await page.route("**/admin/**", (route) => route.abort());
    await page.context().setOffline(true); // ends the stream as well
    await page.getByText("server gone").first().waitFor();
    assert.equal(await page.getByText("Attempts a second").count(), 1, "what it knew stays");
    await page.unroute("**/admin/**");
    await page.context().setOffline(false);
    await page.locator(".live-live").waitFor();
    await page.locator(".problem").first().waitFor({ state: "detached" });
    complaints.splice(0, complaints.length); // a browser notes every request that failed
  },

  "live: a browser whose clock is wrong by an hour": async ({ operator }) => {
    const { page, go } = await operator();
    await page.clock.install({ time: Date.now() + 3_600_000 });
    await go("workers");
    await page
      .getByText(/^(now|\d+ s ago|\d+(\.\d)? s ago|\dmin ago)$/)
      .first()
      .waitFor();
    assert.equal(await page.getByText(/^60 min ago|1 h ago/).count(), 0);
  },
};

/** A browser notes every refusal in its console; those that a task is about are taken out. */
function expectRefusals(complaints, statuses) {
  const expected = (line) =>
    statuses.some((status) => line.includes(`responded with a status of ${status} `));
  complaints.splice(0, complaints.length, ...complaints.filter((line) => !expected(line)));
}
