// Pictures of pages, to look at and for the documentation:
//   node tools/shots.mjs BASE TOKEN FOLDER PATH [PATH ...]      as light, dark and phone
// A path such as jobs?state=dead becomes jobs-state-dead.light.png. Prints what the pages complained of.
import { join } from "node:path";
import { launch } from "./chromium.mjs";

const [base, token, folder, ...paths] = process.argv.slice(2);
const LOOKS = {
  light: { colorScheme: "light", viewport: { width: 1360, height: 900 } },
  dark: { colorScheme: "dark", viewport: { width: 1360, height: 900 } },
  phone: { colorScheme: "light", viewport: { width: 390, height: 844 }, isMobile: true },
};
const wanted = process.env.LOOKS?.split(",") ?? Object.keys(LOOKS);

const browser = await launch();
try {
  for (const look of wanted) {
    const context = await browser.newContext({
      ...LOOKS[look],
      locale: "en-US",
      timezoneId: "Europe/Berlin",
    });
    const page = await context.newPage();
    page.on("console", (line) => {
      if (line.type() === "error" || line.type() === "warning") {
        process.stderr.write(`${look} ${page.url()}: ${line.text()}\n`);
      }
    });
    page.on("pageerror", (error) => process.stderr.write(`${look} ${page.url()}: ${error}\n`));
    await page.goto(`${base}/dashboard`);
    await page.getByLabel("Token").waitFor({ timeout: 60_000 });
    await page.screenshot({ path: join(folder, `sign-in.${look}.png`) });
    await page.getByLabel("Token").fill(token);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor({ timeout: 60_000 });
    for (const path of paths) {
      await page.goto(`${base}/dashboard/${path}`);
      await page.getByRole("heading", { level: 1 }).waitFor({ timeout: 60_000 });
      await page.locator(".loading").first().waitFor({ state: "detached", timeout: 60_000 });
      await page.waitForTimeout(400); // a chart that draws itself
      const name = path.replaceAll(/[^\w]+/g, "-").replaceAll(/^-|-$/g, "");
      await page.screenshot({ path: join(folder, `${name}.${look}.png`), fullPage: true });
    }
    await context.close();
  }
} finally {
  await browser.close();
}
