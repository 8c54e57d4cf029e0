// Stakes and their money.
import { strict as assert } from "node:assert";

export const tasks = {
  "stakes: follow one stake from click to payout": async ({ operator, api, seed }) => {
    await seed("stakes.waiting");
    const { page, go, axe, loaded } = await operator();
    await go("stakes");
    const queues = page.getByRole("region", { name: "Queues by stake" }).first();
    await queues.getByRole("link", { name: "500.00 EUR" }).waitFor();
    await queues.getByText(/Nobody else waits/).waitFor();
    await axe();
    // Who waits, and why.
    await queues.getByRole("link", { name: "500.00 EUR" }).click();
    await page.getByRole("heading", { level: 1, name: "Tickets" }).waitFor();
    assert.equal(await page.getByLabel("In line at").inputValue(), "50000");
    await page.getByRole("region", { name: "Tickets" }).getByRole("link").first().click();
    await page.getByRole("heading", { level: 1, name: /^Ticket / }).waitFor();
    await page.getByText("Why nobody was found yet").waitFor();
    await axe();
    // Among all of them, by what became of them.
    await go("stakes/tickets");
    await page.getByLabel("Status").selectOption("queued");
    await page.waitForFunction(() => document.querySelectorAll("tbody tr").length === 1);
    assert.match(page.url(), /status=queued$/);
    // One that was paid out: from the list of sessions to the last entry.
    const { sessions } = await api("GET", "/admin/sessions?status=settled");
    await go("stakes/sessions?status=settled");
    await page.getByRole("link", { name: String(sessions[0].id), exact: true }).click();
    await page.getByRole("heading", { level: 1, name: `Session ${sessions[0].id}` }).waitFor();
    await loaded();
    const drawn = page.getByRole("img", { name: /The money of this stake/ });
    await drawn.waitFor();
    const words = await drawn.locator("desc").textContent();
    assert.match(words, /STAKE: 50\.00 EUR from Player \d's wallet to escrow/);
    assert.match(words, /PAYOUT: 100\.00 EUR from escrow to Player \d's wallet; 0\.00 EUR held\./);
    const entries = page.getByRole("region", { name: "Entries" });
    assert.equal(await entries.locator("tbody tr").count(), 11, "two stakes of four, and a payout");
    await entries.getByText("+100.00 EUR").waitFor();
    await page.getByText("paper").waitFor(); // a move
    await axe();
    // And on to the winner's own ledger.
    await entries.getByText("+100.00 EUR").waitFor();
    await entries.locator("tbody tr", { hasText: "+100.00 EUR" }).getByRole("link").click();
    await page.getByText("Wallet", { exact: true }).waitFor();
    await page.getByRole("region", { name: "Entries of the wallet" }).last().waitFor();
    await page.getByText("+100.00", { exact: true }).waitFor();
    await axe();
  },

  "stakes: resolve a dispute": async ({ operator, api }) => {
    const { page, go, axe, told } = await operator();
    const before = await api("GET", "/admin/disputes");
    const [dispute] = before.disputes;
    await go("stakes/disputes");
    const card = page.getByRole("article", { name: `Dispute ${dispute.id}` });
    await card.getByText("<img src=x onerror=complain('xss')>").waitFor();
    await axe();
    await card.getByRole("button", { name: /^Decide for player 2/ }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText(/The pot of 200\.00 EUR goes to the wallet of player 2/).waitFor();
    await axe();
    await dialog.getByLabel("Reason").fill("the log of the game says so");
    await dialog.getByRole("button", { name: /^Decide for player 2/ }).click();
    await told(`Dispute ${dispute.id} is decided for player 2`);
    await page.getByText("Nothing waits for a person.").waitFor();
    const { session, money } = await api("GET", `/admin/sessions/${dispute.sessionId}`);
    assert.equal(session.status, "settled");
    assert.equal(session.winnerId, session.players[1]);
    assert.deepEqual(
      money.filter((one) => one.kind === "PAYOUT" && one.amount > 0).map((one) => one.amount),
      [20_000],
    );
    const { entries } = await api("GET", "/admin/audit?action=dispute.resolve");
    assert.equal(entries[0].subject, `dispute:${dispute.id}`);
    assert.equal(entries[0].reason, "the log of the game says so");
  },

  "stakes: a viewer sees how many wait, and never who": async ({ viewer }) => {
    const { page, go } = await viewer();
    await go("stakes");
    await page.getByRole("region", { name: "Queues by stake" }).first().waitFor();
    await page.getByText("Who plays, and their money, is for operators.").waitFor();
    assert.equal(
      await page.locator("main a[href*='/stakes/'], main a[href*='/ledger']").count(),
      0,
    );
  },

  "ledger: it all adds up": async ({ operator }) => {
    const { page, go, axe } = await operator();
    await go("ledger");
    await page.getByText("all accounts sum to zero").waitFor();
    await page.getByRole("region", { name: "Trial balance" }).first().getByText("escrow").waitFor();
    await axe();
    await page.getByLabel("A player's ledger").fill("nobody at all");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "nobody at all" }).waitFor();
    await page.getByText("There is no entry in the wallet.").waitFor();
  },
};
