// The hook in a real browser against a real server: node drive.mjs http://127.0.0.1:PORT
// Prints a line of JSON for each thing that it saw, and goes on when it is sent a line. The page's
// clock stands still unless it is told to go on: nothing here depends on how fast the machine is.
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { bundle } from "../../tools/bundle.mjs";
import { launch } from "../../tools/chromium.mjs";

const [base] = process.argv.slice(2);
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const say = async (what) => {
  process.stdout.write(`${JSON.stringify(what)}\n`);
  await lines.next();
};
const code = await bundle(fileURLToPath(new URL("page.tsx", import.meta.url)));
const browser = await launch();
const page = await browser.newPage();
page.setDefaultTimeout(120_000);

const requests = [];
const complaints = [];
page.on("request", (request) => {
  if (request.url().includes("/api/")) {
    requests.push(`${request.method()} ${new URL(request.url()).pathname}`);
  }
});
page.on("pageerror", (error) => complaints.push(String(error)));

// The page itself is ours; everything else goes to the server, on the same origin.
await page.route(`${base}/page`, (route) =>
  route.fulfill({
    contentType: "text/html",
    body: '<!doctype html><link rel="icon" href="data:,"><div id="root"></div><script type="module" src="/page.js"></script>',
  }),
);
await page.route(`${base}/page.js`, (route) =>
  route.fulfill({ contentType: "text/javascript", body: code }),
);

const shows = (status) => page.locator("output", { hasText: new RegExp(`^${status}$`) }).waitFor();
const find = async (url) => {
  await page.getByLabel("URL").fill(url);
  await page.getByText("Find investors").click();
};
const seen = async () => ({
  history: await page.evaluate(() => globalThis.matchRunHistory.splice(0)),
  requests: requests.splice(0),
});

try {
  await page.clock.install();
  // A minute ahead: the page's clock goes on until it is told, and cannot be put back.
  await page.clock.pauseAt(Date.now() + 60_000);
  await page.goto(`${base}/page`);
  await shows("idle");

  // No timer fires: what is shown from here on came by the stream.
  await find("https://www.acme.com/");
  await shows("polling");
  await say({ saw: "polling" });
  await shows("ready");
  await say({
    saw: "ready",
    startup: await page.locator("h1").textContent(),
    count: await page.locator("#count").textContent(),
    matches: await page.locator("li").allTextContents(),
    ...(await seen()),
  });

  await find("not a url");
  await shows("error");
  await say({
    saw: "refused",
    code: await page.getByRole("alert").textContent(),
    ...(await seen()),
  });

  // Unmounted while it polls: the browser lets go of the stream.
  await find("slow.com");
  await shows("polling");
  const left = page.waitForEvent("requestfailed", (one) => one.url().endsWith("/events"));
  await page.locator("#toggle").click();
  await left;
  await page.clock.runFor(600_000);
  await say({ saw: "unmounted", ...(await seen()) });

  // No stream to be had: the page's clock goes on, and polls find it.
  await page.route("**/events", (route) => route.abort());
  await page.locator("#toggle").click();
  await shows("idle");
  await find("nobody.com");
  await shows("polling");
  await say({ saw: "polling again" });
  await page.clock.runFor(2_000);
  await shows("error");
  await say({
    saw: "not found",
    code: await page.getByRole("alert").textContent(),
    ...(await seen()),
  });

  await page.getByText("Reset").click();
  await shows("idle");
  await say({ saw: "the end", complaints, ...(await seen()) });
} finally {
  await browser.close();
  process.stdin.destroy();
}
