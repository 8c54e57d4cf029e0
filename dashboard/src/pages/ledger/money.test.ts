import { expect, test } from "vitest";
import { money, shortId, signed } from "./money.ts";
import { addressOfTransfer } from "./references.ts";

test("minor units as people write them, by the digits of the currency", () => {
  expect(money(1000, "EUR")).toBe("10.00 EUR");
  expect(money(5, "EUR")).toBe("0.05 EUR");
  expect(money(0, "EUR")).toBe("0.00 EUR");
  expect(money(-123_456_789, "EUR")).toBe("−1,234,567.89 EUR");
  expect(money(1000, "JPY")).toBe("1,000 JPY");
  expect(money(1234, "KWD")).toBe("1.234 KWD");
  expect(money(9_007_199_254_740_991, "EUR")).toBe("90,071,992,547,409.91 EUR");
  expect([signed(500, "EUR"), signed(-500, "EUR")]).toEqual(["+5.00", "−5.00"]);
});

test("what is no currency breaks nothing", () => {
  expect(money(100, "<b>")).toContain("<b>");
  expect(shortId("anna")).toBe("anna");
  expect(shortId("0f2a7a3e-6f0b-4f0c-9a55-6d1f4c3f7a10")).toBe("0f2a7a3e…");
});

test("a transfer leads to its stake", () => {
  expect(addressOfTransfer("stake:17")).toBe("/stakes/tickets/17");
  expect(addressOfTransfer("stake:17:expired")).toBe("/stakes/tickets/17");
  expect(addressOfTransfer("session:4:result")).toBe("/stakes/sessions/4");
  expect(addressOfTransfer("stake:x")).toBeNull();
  expect(addressOfTransfer("deposit:bank:1")).toBeNull();
});
