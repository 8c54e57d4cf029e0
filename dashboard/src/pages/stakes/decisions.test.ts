import { expect, test } from "vitest";
import type { Answers } from "../../api/client.ts";
import { whatHappens } from "./decisions.ts";
import { everyLine, whyOf } from "./lines.ts";

const ADA = "ada";
const BOB = "bob";
const session = {
  amount: 5000,
  currency: "EUR",
  players: [ADA, BOB],
  status: "disputed",
  winnerId: null,
} as unknown as Answers["SessionShown"];

test("a frozen pot goes to one, or to where it came from", () => {
  expect(whatHappens(session, ADA)).toBe(
    "The pot of 100.00 EUR goes to the wallet of player 1 (ada).",
  );
  expect(whatHappens(session, null)).toMatch(/^The pot of 100\.00 EUR is divided/);
});

test("what was paid out already is moved, as far as it is wrong", () => {
  const paid = { ...session, status: "settled", winnerId: ADA } as const;
  expect(whatHappens(paid, BOB)).toMatch(/100\.00 EUR is taken from player 1 \(ada\).*player 2/);
  expect(whatHappens(paid, null)).toMatch(/50\.00 EUR is taken from player 1 \(ada\)/);
  expect(whatHappens(paid, ADA)).toMatch(/stays where it is/);
  const drawn = { ...session, status: "settled", winnerId: null } as const;
  expect(whatHappens(drawn, BOB)).toMatch(/50\.00 EUR is taken from player 1 \(ada\)/);
});

test("every stake that is offered has its line", () => {
  const line = { amount: 700, waiting: 1 } as Answers["LineShown"];
  const queues = { offered: [1000, 500], lines: [line] } as unknown as Answers["QueueShown"];
  expect(everyLine(queues)).toEqual([
    { amount: 500, line: null },
    { amount: 700, line },
    { amount: 1000, line: null },
  ]);
});

test("why nobody was found, in money", () => {
  const line = { amount: 1000, currency: "EUR", waiting: 1, waitingFor: "partner" } as const;
  const [here, there] = [line, { ...line, amount: 5000 }] as unknown as Answers["LineShown"][];
  expect(here && there && whyOf(here, [here, there])).toBe(
    "Nobody else waits at 10.00 EUR. Elsewhere there are 1 at 50.00 EUR.",
  );
  expect(here && whyOf(here, [here])).toMatch(/nor at any other stake/);
});
