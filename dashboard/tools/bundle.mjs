// One file for a browser, in memory: for the bound on size, and for pages that tests open.
//   node tools/bundle.mjs ENTRY [EXTERNAL ...]   prints {"bytes": …, "gzip": …}
import { gzipSync } from "node:zlib";
import { build } from "vite";

export async function bundle(entry, external = []) {
  const { output } = await build({
    configFile: false,
    logLevel: "warn",
    define: { "process.env.NODE_ENV": '"production"' },
    build: {
      write: false,
      minify: true,
      target: "es2022",
      modulePreload: false,
      rolldownOptions: { input: entry, external, preserveEntrySignatures: "strict" },
    },
  });
  const chunks = output.filter((part) => part.type === "chunk");
  if (chunks.length !== 1) {
    throw new Error(`${chunks.length} files instead of one`);
  }
  return chunks[0].code;
}

if (import.meta.main) {
  const [entry, ...external] = process.argv.slice(2);
  const code = await bundle(entry, external);
  const gzip = gzipSync(code, { level: 9 }).length;
  process.stdout.write(`${JSON.stringify({ bytes: code.length, gzip })}\n`);
}
