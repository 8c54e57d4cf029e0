// Reports, and the people whom they are about.
import { strict as assert } from "node:assert";

export const tasks = {
  "moderation: the gravest report first; suspend, then reinstate": async ({ operator, api }) => {
    const { page, go, axe } = await operator();
    await go("moderation");
    const reports = page.getByRole("region", { name: "Reports", exact: true });
    const first = reports.getByRole("link").first();
    assert.equal(await first.textContent(), "child safety");
    await first.click();
    await page.getByRole("heading", { level: 1, name: "child safety" }).waitFor();
    await page.getByText("<script>complain('xss')</script> asked me for money").waitFor();
    await axe();
    await page.getByRole("button", { name: "Suspend" }).click();
    const dialog = page.getByRole("dialog", { name: "Suspend" });
    await dialog.getByLabel("Days").fill("3");
    await dialog.getByRole("button", { name: "Suspend" }).click();
    await page.locator(".page-about .badge", { hasText: "decided" }).waitFor();
    const { reports: left } = await api("GET", "/admin/reports?status=open");
    assert.deepEqual(
      left.map((report) => report.category),
      ["scam"],
    );
    await page.getByRole("link", { name: left[0].userId }).click();
    await page.getByRole("button", { name: "Reinstate" }).click();
    await page.getByRole("dialog").getByLabel("Reason").fill("it was a mistake");
    await page.getByRole("dialog").getByRole("button", { name: "Reinstate" }).click();
    await page.getByRole("button", { name: "Suspend" }).waitFor();
    await axe();
    const { entries } = await api("GET", "/admin/audit");
    assert.ok(entries.some((entry) => entry.reason === "it was a mistake"));
  },
};
