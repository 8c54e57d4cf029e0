// Endpoints and their attempts.
import { strict as assert } from "node:assert";

export const tasks = {
  "webhooks: find what was refused, replay it, pause, rotate": async ({ operator, api }) => {
    const { page, go, axe, told } = await operator();
    await go("webhooks?outcome=refused");
    const attempts = page.getByRole("region", { name: "Deliveries" });
    await attempts.getByText("shop.shipped").first().waitFor();
    const before = (await api("GET", "/webhooks/attempts")).attempts.length;
    await attempts.getByRole("button", { name: "Replay" }).first().click();
    const dialog = page.getByRole("dialog", { name: "Replay this event" });
    await dialog.getByRole("button", { name: "Replay" }).click();
    await told("One delivery is on its way.");
    await page.waitForFunction(
      (least) => document.querySelectorAll("table tbody tr").length > least,
      before + 1, // the endpoint's own row, and one attempt more
    );
    await page.getByRole("link", { name: /127\.0\.0\.1:9/ }).click();
    await page.getByRole("heading", { level: 1, name: /127\.0\.0\.1:9/ }).waitFor();
    await page.getByText("<b>the shop</b>").waitFor();
    await axe();
    const actions = page.locator(".page-actions");
    await actions.getByRole("button", { name: "Replay" }).click();
    const range = page.getByRole("dialog", { name: "Replay events" });
    await range.getByRole("button", { name: "Replay" }).click();
    await told(/^[1-9]\d* deliveries are on their way/);
    await page.getByRole("button", { name: "Rotate secret" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Rotate" }).click();
    const secret = page.getByRole("dialog", { name: "The new secret" });
    await secret.getByText(/^whsec_/).waitFor();
    await axe();
    await secret.getByRole("button", { name: "I have it" }).click();
    await page.getByRole("button", { name: "Pause" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Pause" }).click();
    await page.getByRole("button", { name: "Resume" }).waitFor();
    const { endpoints } = await api("GET", "/webhooks/endpoints");
    assert.equal(endpoints[0].state, "paused");
    const { entries } = await api("GET", "/admin/audit");
    assert.ok(entries.filter((entry) => entry.actor === "anna").length >= 3);
  },
};
