import { expect, test } from "vitest";
import { type Entry, flowOf } from "./flow.ts";

let line = 0;

function entry(
  transferId: number,
  kind: Entry["kind"],
  account: Entry["account"],
  amount: number,
  more: Partial<Entry> = {},
): Entry {
  line += 1;
  return {
    transferId,
    line,
    at: "2026-11-17T10:00:00Z",
    kind,
    entryKind: kind,
    reference: `t:${transferId}`,
    account,
    owner: null,
    currency: "EUR",
    amount,
    balance: null,
    queueId: null,
    sessionId: null,
    ...more,
  };
}

const staked = (transfer: number, owner: string, queueId: number, credit = 0): Entry[] => {
  const stake = { entryKind: "STAKE_IN" as const, queueId };
  const fee = { entryKind: "COMMISSION" as const, queueId };
  return [
    ...(credit ? [entry(transfer, "STAKE", "credit", -credit, { owner, ...stake })] : []),
    entry(transfer, "STAKE", "wallet", credit - 5000, { owner, ...stake }),
    entry(transfer, "STAKE", "escrow", 5000, stake),
    entry(transfer, "STAKE", "wallet", -1000, { owner, ...fee }),
    entry(transfer, "STAKE", "revenue", 1000, fee),
  ];
};

test("a game from two stakes to the payout", () => {
  const flow = flowOf([
    ...staked(1, "ada", 7),
    ...staked(2, "bob", 8, 2000),
    entry(3, "PAYOUT", "escrow", -5000, { queueId: 7 }),
    entry(3, "PAYOUT", "escrow", -5000, { queueId: 8 }),
    entry(3, "PAYOUT", "wallet", 10_000, { owner: "bob" }),
  ]);
  const names = flow.columns.map(({ account, owner }) => `${owner ?? ""} ${account}`.trim());
  expect(names).toEqual(["ada wallet", "escrow", "bob credit", "bob wallet", "revenue"]);
  expect(flow.steps.map((step) => step.held)).toEqual([5000, 10_000, 0]);
  const said = flow.steps.map((step) =>
    step.arrows.map(({ from, to, amount }) => `${names[from]} > ${names[to]} ${amount}`),
  );
  expect(said).toEqual([
    ["ada wallet > escrow 5000", "ada wallet > revenue 1000"],
    ["bob credit > escrow 2000", "bob wallet > escrow 3000", "bob wallet > revenue 1000"],
    ["escrow > bob wallet 10000"],
  ]);
});

test("arrows come to what the entries come to, and nothing has no picture", () => {
  const entries = [
    ...staked(1, "ada", 7, 100),
    entry(2, "CREDIT", "escrow", -5000, { queueId: 7 }),
    entry(2, "CREDIT", "credit", 5000, { owner: "ada", queueId: 7 }),
  ];
  const flow = flowOf(entries);
  const sum = flow.steps.flatMap((step) => step.arrows).reduce((all, one) => all + one.amount, 0);
  expect(sum).toBe(entries.reduce((all, one) => all + Math.max(0, one.amount), 0));
  expect(flow.steps.at(-1)?.held).toBe(0);
  expect(flowOf([])).toEqual({
    columns: [{ account: "escrow", owner: null }],
    escrow: 0,
    steps: [],
  });
});
