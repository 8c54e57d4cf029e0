// Every page and every task in a real browser, against a real server:
//   node browser/run.mjs BASE OPERATOR_TOKEN VIEWER_TOKEN [NAME ...]
// Prints a line of JSON for each task: what went wrong, and what the page complained of. NAME runs
// those tasks alone whose name begins so.
//
// A task is exported by a file in browser/tasks, by its name:
//   export const tasks = { "dead: find one by its key": async ({ operator, viewer, api }) => { … } };
// `await seed("engine.gap")` has tests/dashboard/seeds/engine.py call `gap(database)`, and
// gives what that answers. `operator()` and `viewer()` open a page that is signed in; `api(method, path, body)` calls the server
// as the operator, to see what a task has changed.
//
// A task may run on a machine that is many times slower than yours, and waits for nothing that may
// already have come and gone: a notice is noted (`told`), a key is pressed when the page listens
// (`press`). SLOWDOWN=6 has the browser's processor be six times slower.
import { readdirSync } from "node:fs";
import { createInterface } from "node:readline";
import { AxeBuilder } from "@axe-core/playwright";
import { launch } from "../tools/chromium.mjs";

const [base, operatorToken, viewerToken, ...names] = process.argv.slice(2);
const TIMEOUT_MS = 120_000; // a busy machine; nothing here waits for long on an idle one
const SLOWDOWN = Number(process.env.SLOWDOWN ?? 1);
const LOOKS = ["light", "dark"];
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();

async function seed(name) {
  process.stdout.write(`${JSON.stringify({ seed: name })}\n`);
  return JSON.parse((await lines.next()).value);
}

async function signIn(browser, token) {
  const context = await browser.newContext();
  const answer = await context.request.post(`${base}/admin/session`, { data: { token } });
  if (!answer.ok()) {
    throw new Error(`signing in was answered with ${answer.status()}`);
  }
  const state = await context.storageState();
  await context.close();
  return state;
}

/** A page that notes whatever it complains of: errors, warnings, violations of the policy. */
async function open(browser, complaints, options) {
  const context = await browser.newContext({
    locale: "en-US",
    timezoneId: "Europe/Berlin",
    reducedMotion: "reduce",
    viewport: { width: 1280, height: 900 },
    ...options,
  });
  const page = await context.newPage();
  page.setDefaultTimeout(TIMEOUT_MS);
  page.on("console", (line) => {
    if (["error", "warning"].includes(line.type())) {
      complaints.push(`${new URL(page.url()).pathname}: ${line.text()}`);
    }
  });
  page.on("pageerror", (error) => complaints.push(`${page.url()}: ${error}`));
  if (SLOWDOWN > 1) {
    const session = await context.newCDPSession(page);
    await session.send("Emulation.setCPUThrottlingRate", { rate: SLOWDOWN });
  }
  const notices = [];
  await page.exposeFunction("complain", (what) => complaints.push(what));
  await page.exposeFunction("noted", (words) => notices.push(words));
  await page.addInitScript(() => {
    const known = new WeakSet();
    new MutationObserver(() => {
      for (const notice of document.querySelectorAll(".notice")) {
        if (!known.has(notice)) {
          known.add(notice);
          window.noted(notice.textContent);
        }
      }
    }).observe(document, { childList: true, subtree: true });
    document.addEventListener("securitypolicyviolation", (event) =>
      window.complain(`policy: ${event.violatedDirective} ${event.blockedURI}`),
    );
  });
  const helper = {
    page,
    go: async (path) => {
      await page.goto(`${base}/dashboard/${path}`);
      await helper.loaded();
    },
    /** The page is there, and nothing of it is still being asked for. */
    loaded: async () => {
      await page.locator("main h1").first().waitFor();
      await page.waitForFunction(() => !document.querySelector(".loading"));
      await helper.calm();
    },
    /** What was drawn has had its effects as well: it listens to keys, it has given back the focus. */
    calm: () =>
      page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done)))),
    press: async (key) => {
      await helper.calm();
      await page.keyboard.press(key);
    },
    /** That a notice says so, or has said so: each is gone after some seconds. */
    told: async (words) => {
      const until = Date.now() + TIMEOUT_MS;
      while (!notices.some((notice) => notice.match(words))) {
        if (Date.now() > until || page.isClosed()) {
          throw new Error(`no notice said ${words}, but: ${notices.join(" | ") || "none came"}`);
        }
        await new Promise((done) => setTimeout(done, 50));
      }
    },
    /** In both themes; what is in front as well. */
    axe: async () => {
      for (const colorScheme of LOOKS) {
        await page.emulateMedia({ colorScheme });
        const { violations } = await new AxeBuilder({ page }).analyze();
        for (const { id, nodes } of violations) {
          complaints.push(
            `axe ${colorScheme} ${new URL(page.url()).pathname} ${id}: ${nodes.map((node) => `${node.target} ${node.failureSummary?.replaceAll("\n", " ")}`).join(" | ")}`,
          );
        }
      }
    },
    close: () => context.close(),
  };
  return helper;
}

const browser = await launch();
let failed = 0;
try {
  const sessions = {
    operator: await signIn(browser, operatorToken),
    viewer: await signIn(browser, viewerToken),
  };
  const files = readdirSync(new URL("tasks", import.meta.url)).sort();
  for (const file of files) {
    const { tasks } = await import(`./tasks/${file}`);
    for (const [name, task] of Object.entries(tasks)) {
      if (names.length > 0 && !names.some((one) => name.startsWith(one))) {
        continue;
      }
      failed += await run(name, task, sessions);
    }
  }
} finally {
  await browser.close();
  process.stdin.destroy();
}
process.exitCode = failed > 0 ? 1 : 0;

async function run(name, task, sessions) {
  const complaints = [];
  const opened = [];
  const began = Date.now();
  const as =
    (who) =>
    async (options = {}) => {
      const page = await open(browser, complaints, {
        ...(who && { storageState: sessions[who] }),
        ...options,
      });
      opened.push(page);
      return page;
    };
  const api = async (method, path, body) => {
    const answer = await fetch(`${base}${path}`, {
      method,
      headers: { authorization: `Bearer ${operatorToken}`, "content-type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
    });
    return await answer.json();
  };
  let error = null;
  try {
    await task({
      operator: as("operator"),
      viewer: as("viewer"),
      stranger: as(null),
      api,
      seed,
      base,
      token: operatorToken,
      complaints,
    });
  } catch (thrown) {
    error = String(thrown.stack ?? thrown);
    const last = opened.at(-1)?.page;
    if (process.env.SHOTS && last) {
      const file = name.replaceAll(/\W+/g, "-");
      await last.screenshot({ path: `${process.env.SHOTS}/${file}.png`, fullPage: true });
    }
  }
  await Promise.all(opened.map((page) => page.close()));
  const seconds = (Date.now() - began) / 1000;
  process.stdout.write(`${JSON.stringify({ task: name, error, complaints, seconds })}\n`);
  return error || complaints.length > 0 ? 1 : 0;
}
