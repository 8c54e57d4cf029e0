import { expect, test } from "vitest";
import { filters, flag, oneOf, parseSearch, stringifySearch, text, whole } from "./filters.ts";

const read = filters({
  key: text(10),
  state: oneOf(["ready", "dead"]),
  after: whole(),
  all: flag(),
});

test("an address is read as it was written", () => {
  const search = stringifySearch({ key: "a&b=c d", state: "dead", after: 17, all: true });
  expect(read(parseSearch(search))).toEqual({
    key: "a&b=c d",
    state: "dead",
    after: 17,
    all: true,
  });
});

test("numbers stay words where words are meant", () => {
  expect(read(parseSearch("?key=0012"))).toEqual({ key: "0012" });
  expect(read(parseSearch("?key=true"))).toEqual({ key: "true" });
});

test("what does not fit is as if it was not said", () => {
  const odd = "?key=12345678901&state=gone&after=-1&all=yes&more=1";
  expect(read(parseSearch(odd))).toEqual({});
  expect(read(parseSearch("?after=99999999999999999"))).toEqual({});
  expect(read(parseSearch("?key=a%00b"))).toEqual({});
});

test("what is not said is not in the address", () => {
  expect(stringifySearch({ key: undefined, state: "" })).toBe("");
});
