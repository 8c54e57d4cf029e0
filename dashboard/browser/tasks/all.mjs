// Every page that the server names: opened by its address, in both themes, by both kinds of staff.
import { strict as assert } from "node:assert";

export const tasks = {
  "all: every page opens, and axe is content": async ({ operator, api }) => {
    const { pages } = await api("GET", "/admin/dashboard");
    const here = await operator();
    for (const { name } of await known(here, pages)) {
      await here.go(name);
      await here.axe();
    }
  },

  "all: a viewer sees every page of hers, and no button that changes something": async ({
    viewer,
  }) => {
    const here = await viewer();
    await here.go("overview");
    const links = await here.page.locator("nav#nav a.nav-link").all();
    const paths = await Promise.all(links.map((link) => link.getAttribute("href")));
    assert.ok(paths.length >= 5);
    assert.ok(!paths.some((path) => path.endsWith("/audit")), "not for viewers");
    for (const path of paths) {
      await here.go(path.replace("/dashboard/", ""));
      assert.equal(await here.page.locator("[data-acts]").count(), 0, path);
    }
  },

  "all: on a phone nothing is wider than the page": async ({ operator, api }) => {
    const { pages } = await api("GET", "/admin/dashboard");
    const here = await operator({ viewport: { width: 390, height: 844 }, isMobile: true });
    for (const { name } of await known(here, pages)) {
      await here.go(name);
      const width = await here.page.evaluate(() => document.documentElement.scrollWidth);
      assert.ok(width <= 390, `${name} is ${width} wide`);
    }
  },
};

/** Those that this build has: the navigation shows no others. */
async function known(here, pages) {
  await here.go("overview");
  const links = await here.page.locator("nav#nav a.nav-link").all();
  const paths = await Promise.all(links.map((link) => link.getAttribute("href")));
  const found = pages.filter(({ name }) => paths.includes(`/dashboard/${name}`));
  assert.ok(found.length >= 7);
  return found;
}
