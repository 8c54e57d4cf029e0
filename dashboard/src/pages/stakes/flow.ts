/**
 * A stake's money as a picture: accounts side by side, time downwards, an arrow for each movement.
 * Pure: from the ledger's entries alone. An arrow joins an entry that takes with one that gives, of
 * one transfer; the sums of arrows are the entries, nothing is made up.
 */

import type { Answers } from "../../api/client.ts";

export type Entry = Answers["MoneyEntry"];

export interface FlowColumn {
  readonly account: Entry["account"];
  readonly owner: string | null;
}

export interface FlowArrow {
  readonly from: number;
  readonly to: number;
  readonly amount: number;
  readonly kind: Entry["entryKind"];
}

export interface FlowStep {
  readonly transferId: number;
  readonly kind: Entry["kind"];
  readonly at: string;
  readonly reference: string;
  readonly currency: string;
  readonly arrows: readonly FlowArrow[];
  /** What of it is in escrow afterwards. */
  readonly held: number;
}

export interface Flow {
  readonly columns: readonly FlowColumn[];
  readonly escrow: number;
  readonly steps: readonly FlowStep[];
}

/** Escrow in the middle, a player on each side, the platform's own at the end. */
export function flowOf(entries: readonly Entry[]): Flow {
  const owners = [...new Set(entries.flatMap((one) => (one.owner === null ? [] : [one.owner])))];
  const [first, ...others] = owners;
  const wanted: FlowColumn[] = [
    ...(first === undefined ? [] : accountsOf(first)),
    { account: "escrow", owner: null },
    ...others.flatMap((owner) => accountsOf(owner).reverse()),
    { account: "revenue", owner: null },
    { account: "cash", owner: null },
  ];
  const columns = wanted.filter(
    (column) => column.account === "escrow" || entries.some((one) => isOf(one, column)),
  );
  const place = (entry: Entry) => columns.findIndex((column) => isOf(entry, column));
  let held = 0;
  const steps = byTransfer(entries).map((own): FlowStep => {
    const [any] = own as [Entry, ...Entry[]];
    for (const entry of own) {
      held += entry.account === "escrow" ? entry.amount : 0;
    }
    return {
      transferId: any.transferId,
      kind: any.kind,
      at: any.at,
      reference: any.reference,
      currency: any.currency,
      arrows: arrowsOf(own, place),
      held,
    };
  });
  return { columns, escrow: columns.findIndex((one) => one.account === "escrow"), steps };
}

function accountsOf(owner: string): FlowColumn[] {
  return [
    { account: "wallet", owner },
    { account: "credit", owner },
  ];
}

function isOf(entry: Entry, column: FlowColumn): boolean {
  return entry.account === column.account && entry.owner === column.owner;
}

function byTransfer(entries: readonly Entry[]): Entry[][] {
  const found = new Map<number, Entry[]>();
  for (const entry of entries) {
    const own = found.get(entry.transferId) ?? [];
    own.push(entry);
    found.set(entry.transferId, own);
  }
  return [...found.values()];
}

/** Those of one kind with each other first: a stake with escrow, a fee with the platform. */
function arrowsOf(entries: readonly Entry[], place: (entry: Entry) => number): FlowArrow[] {
  const left = entries.map((entry) => ({ entry, rest: entry.amount }));
  const arrows: FlowArrow[] = [];
  const join = (isSame: (from: Entry, to: Entry) => boolean) => {
    for (const from of left) {
      for (const to of left) {
        if (from.rest < 0 && to.rest > 0 && isSame(from.entry, to.entry)) {
          const amount = Math.min(-from.rest, to.rest);
          from.rest += amount;
          to.rest -= amount;
          const [start, end] = [place(from.entry), place(to.entry)];
          const known = arrows.findIndex(
            (one) => one.from === start && one.to === end && one.kind === to.entry.entryKind,
          );
          const before = arrows[known];
          const arrow = { from: start, to: end, kind: to.entry.entryKind };
          if (before) {
            arrows[known] = { ...arrow, amount: before.amount + amount };
          } else {
            arrows.push({ ...arrow, amount });
          }
        }
      }
    }
  };
  join((from, to) => from.entryKind === to.entryKind && from.queueId === to.queueId);
  join((from, to) => from.entryKind === to.entryKind);
  join(() => true);
  return arrows;
}
