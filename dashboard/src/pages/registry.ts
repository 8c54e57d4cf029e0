/**
 * Who brings pages: one line for each folder. What is switched off on the server is not shown, as
 * the server names the pages that there are; a page's name there is its address here.
 */

export { engine } from "./engine/index.ts";
export { fixtures } from "./fixtures/index.ts";
export { ledger } from "./ledger/index.ts";
export { offers } from "./offers/index.ts";
export { people } from "./people/index.ts";
export { runs } from "./runs/index.ts";
export { safety } from "./safety/index.ts";
export { stakes } from "./stakes/index.ts";
export { webhooks } from "./webhooks/index.ts";
