import { describe, expect, test } from "@jest/globals";
import { formatCpuList, parseCpuList } from "../../src/cpu-list.js";

describe("a list of CPUs", () => {
  test.each([
    { text: "", cpus: [] },
    { text: " 0 \n", cpus: [0] },
    { text: "0-3,8", cpus: [0, 1, 2, 3, 8] },
    { text: "8,2-2,1", cpus: [1, 2, 8] },
    { text: "65535", cpus: [65_535] },
  ])("'$text' is read, ascending", ({ text, cpus }) => expect([...parseCpuList(text)]).toEqual(cpus));

  test.each(["a", "1-", "-1", "3-1", "1,,2", "65536", "1-65536", "1 2", "x1", "1x", "123456"])(
    "'%s' is refused",
    (text) => {
      expect(() => parseCpuList(text)).toThrow(
        `list of CPUs: expected numbers and ranges such as "0-3,8", up to 65535, found ${JSON.stringify(text)}`,
      );
    },
  );

  test("is refused by the name of the place where it stands", () => {
    expect(() => parseCpuList("x", "reservedSystemCPUs")).toThrow(/^reservedSystemCPUs: /);
  });

  test.each([
    { cpus: [], text: "" },
    { cpus: [0], text: "0" },
    { cpus: [1, 0], text: "0-1" },
    { cpus: [8, 3, 1, 2, 5], text: "1-3,5,8" },
  ])("$cpus is written '$text'", ({ cpus, text }) => expect(formatCpuList(cpus)).toBe(text));
});
