// Opens pages, one after the other, and keeps each open until it is told to go on:
//   node tools/open.mjs BASE TOKEN PATH [PATH ...]
// Prints a line when a page is there, and goes to the next one when a line comes.
import { createInterface } from "node:readline";
import { launch } from "./chromium.mjs";

const [base, token, ...paths] = process.argv.slice(2);
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const browser = await launch();
try {
  const context = await browser.newContext();
  await context.request.post(`${base}/admin/session`, { data: { token } });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  for (const path of paths) {
    await page.goto(`${base}/dashboard/${path}`);
    await page.locator("main h1").first().waitFor();
    await page.locator(".live-live").waitFor();
    await page.waitForFunction(() => !document.querySelector(".loading"));
    process.stdout.write(`${path}\n`);
    await lines.next();
  }
} finally {
  await browser.close();
  process.stdin.destroy();
}
