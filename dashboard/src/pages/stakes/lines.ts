/** The lines of the queue. Pure. */

import type { Answers } from "../../api/client.ts";
import { money } from "../ledger/money.ts";

type Queues = Answers["QueueShown"];
type Line = Answers["LineShown"];

/** Every stake that is offered, also where nobody waits; and those where somebody still does. */
export function everyLine(queues: Queues): { amount: number; line: Line | null }[] {
  const amounts = new Set([...queues.offered, ...queues.lines.map((line) => line.amount)]);
  return [...amounts]
    .sort((a, b) => a - b)
    .flatMap((amount): { amount: number; line: Line | null }[] => {
      const lines = queues.lines.filter((line) => line.amount === amount);
      return lines.length > 0 ? lines.map((line) => ({ amount, line })) : [{ amount, line: null }];
    });
}

/** Why nobody was found, with amounts as people write them: the API's own words have minor units. */
export function whyOf(line: Line, lines: readonly Line[]): string {
  const here = money(line.amount, line.currency);
  switch (line.waitingFor) {
    case "partner": {
      const elsewhere = lines
        .filter((one) => one.currency === line.currency && one.amount !== line.amount)
        .map((one) => `${one.waiting.toLocaleString("en")} at ${money(one.amount, one.currency)}`);
      return elsewhere.length === 0
        ? `Nobody else waits at ${here}, nor at any other stake.`
        : `Nobody else waits at ${here}. Elsewhere there are ${elsewhere.join(", ")}.`;
    }
    case "another_partner":
      return `Those who wait at ${here} have just played each other.`;
    case "matchmaker":
      return "Somebody waits at this stake, but nobody is there who pairs.";
    case "turn":
      return "Somebody waits at this stake: the pair is about to be made.";
    default:
      return line.why;
  }
}
