import { describe, expect, test } from "@jest/globals";
import { millisecondsOf, rfc3339 } from "../../src/time.js";

describe("times", () => {
  test("are whole seconds in UTC", () => expect(rfc3339(1_700_000_000_999)).toBe("2023-11-14T22:13:20Z"));
  test("of CRI are nanoseconds", () => expect(millisecondsOf(1_999_999n)).toBe(1));
});
