// Two people on examples/chat.html, each in a browser of their own: node drive_chat.mjs http://127.0.0.1:PORT
// Prints what they saw as one line of JSON.
import { launch } from "../../dashboard/tools/chromium.mjs";

const [base] = process.argv.slice(2);
const browser = await launch();
const complaints = [];

async function enter(phone) {
  const page = await (await browser.newContext()).newPage();
  page.setDefaultTimeout(120_000);
  page.on("pageerror", (error) => complaints.push(String(error)));
  await page.goto(base);
  await page.getByLabel("Phone number").fill(phone);
  const listens = page.waitForResponse((answer) => answer.url().endsWith("/events"));
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.locator("#matches button").click();
  await listens;
  return page;
}

const write = async (page, text) => {
  await page.getByLabel("Message").fill(text);
  await page.getByRole("button", { name: "Send" }).click();
};
const shows = (page, text) => page.locator("li", { hasText: text }).waitFor();

try {
  const [ada, bob] = [await enter("5550001"), await enter("5550002")];
  await write(ada, "Shall we meet at <b>the lake</b>?");
  await shows(bob, "<b>the lake</b>"); // nobody has reloaded anything: it came by the stream
  await write(bob, "Gladly.");
  await shows(ada, "Gladly.");
  await ada.locator("li.mine small", { hasText: "read" }).waitFor();
  const seen = {
    ada: await ada.locator("li").allTextContents(),
    bob: await bob.locator("li").allTextContents(),
    bold: await bob.locator("li b").count(),
    complaints,
  };
  process.stdout.write(`${JSON.stringify(seen)}\n`);
} finally {
  await browser.close();
}
