/** Small things that are written and read as Go and the kernel write and read them. */
import { describe, expect, test } from "@jest/globals";
import { formatCpuList, parseCpuList } from "../../../src/lib/cpu-list.js";
import { formatDuration, parseDuration } from "../../../src/lib/duration.js";
import { goChecksum } from "../../../src/lib/go-checksum.js";
import { isPlainRecord } from "../../../src/lib/record.js";
import { withoutPasswords } from "../../../src/lib/redact.js";
import { containerSubject, podSubject } from "../../../src/lib/subject.js";
import {
  effectiveEvictionHard,
  parsePercentage,
  parseThreshold,
  thresholdQuantity,
} from "../../../src/lib/threshold.js";
import { millisecondsOf, rfc3339 } from "../../../src/lib/time.js";
import { aPod } from "../../pod/pods.js";

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

describe("a duration", () => {
  test.each([
    { text: "0", seconds: 0 },
    { text: "0s", seconds: 0 },
    { text: "20s", seconds: 20 },
    { text: "1m0s", seconds: 60 },
    { text: "1h30m", seconds: 5_400 },
    { text: "1.5h", seconds: 5_400 },
    { text: "250ms", seconds: 0.25 },
    { text: "3us", seconds: 3e-6 },
    { text: "3µs", seconds: 3e-6 },
    { text: "4ns", seconds: 4e-9 },
    { text: `${"0".repeat(63)}s`, seconds: 0 },
  ])("$text is $seconds s", ({ text, seconds }) => expect(parseDuration(text)).toBeCloseTo(seconds, 12));

  test.each(["", "1", "s", "1d", "1s ", " 1s", "-1s", ".5s", "1.s", "1s2", `${"0".repeat(64)}s`])(
    "'%s' is none",
    (text) => {
      expect(parseDuration(text)).toBeUndefined();
    },
  );

  test.each([
    { seconds: 0, text: "0s" },
    { seconds: 1, text: "1s" },
    { seconds: 20, text: "20s" },
    { seconds: 59.5, text: "59.5s" },
    { seconds: 60, text: "1m0s" },
    { seconds: 300, text: "5m0s" },
    { seconds: 3_600, text: "1h0m0s" },
    { seconds: 3_725, text: "1h2m5s" },
    { seconds: 0.25, text: "250ms" },
    { seconds: 0.001, text: "1ms" },
    { seconds: 0.000_25, text: "250µs" },
    { seconds: 0.000_001, text: "1µs" },
    { seconds: 0.000_000_25, text: "250ns" },
  ])("$seconds s is written $text", ({ seconds, text }) => expect(formatDuration(seconds)).toBe(text));
});

test("the checksum is FNV-1a of 32 bit over the bytes of UTF-8", () => {
  expect(goChecksum("")).toBe(2_166_136_261);
  expect(goChecksum("a")).toBe(0xe40c292c);
  expect(goChecksum("foobar")).toBe(0xbf9cf968);
  expect(goChecksum("ü")).not.toBe(goChecksum("u"));
});

test("a plain record is an object as JSON makes it, of any realm", () => {
  for (const plain of [{}, { a: 1 }, Object.create(null)]) expect(isPlainRecord(plain)).toBe(true);
  for (const other of [null, undefined, 1, "a", [], new Date(), new (class A {})()])
    expect(isPlainRecord(other)).toBe(false);
});

describe("passwords of URLs", () => {
  test.each([
    { text: "https://me:secret@host/", told: "https://me:xxxxx@host/" },
    { text: "https://:secret@host", told: "https://:xxxxx@host" },
    { text: "https://me:a:b@c@host", told: "https://me:xxxxx@host" },
    { text: 'see "http://a:b@c" and //d:e@f', told: 'see "http://a:xxxxx@c" and //d:xxxxx@f' },
    { text: "https://host:8080/a@b", told: "https://host:8080/a@b" },
    { text: "https://me@host:1/", told: "https://me@host:1/" },
    { text: "a:b@c", told: "a:b@c" },
    { text: "http://host:80 mail me@x", told: "http://host:80 mail me@x" },
  ])("$text is told as $told", ({ text, told }) => expect(withoutPasswords(text)).toBe(told));
});

test("subjects of decisions name the pod in full", () => {
  expect(podSubject(aPod())).toBe("pod/default/web-node1");
  expect(containerSubject(aPod(), "main")).toBe("container/default/web-node1/main");
});

describe("times", () => {
  test("are whole seconds in UTC", () => expect(rfc3339(1_700_000_000_999)).toBe("2023-11-14T22:13:20Z"));
  test("of CRI are nanoseconds", () => expect(millisecondsOf(1_999_999n)).toBe(1));
});

describe("a threshold", () => {
  test.each(["0%", "100%"])("%s switches the signal off", (text) => {
    expect(parseThreshold("memory.available", text)).toBeUndefined();
  });

  test.each([
    { text: "25%", value: { percentage: Math.fround(0.25) } },
    { text: "00%", value: { percentage: 0 } },
    { text: "100.0%", value: { percentage: 1 } },
  ])("$text is a share", ({ text, value }) => expect(parseThreshold("s", text)).toEqual(value));

  test.each([
    { text: "-1%", says: "eviction percentage threshold s must be >= 0%: -1%" },
    { text: "NaN%", says: "eviction percentage threshold s must be >= 0%: NaN%" },
    { text: "101%", says: "eviction percentage threshold s must be <= 100%: 101%" },
    { text: "inf%", says: "eviction percentage threshold s must be <= 100%: inf%" },
    { text: "0", says: "eviction threshold s must be positive: 0" },
    { text: "-1Mi", says: "eviction threshold s must be positive: -1Mi" },
    { text: "x%", says: 'strconv.ParseFloat: parsing "x": invalid syntax' },
    { text: "%", says: 'strconv.ParseFloat: parsing "": invalid syntax' },
    { text: ".%", says: 'strconv.ParseFloat: parsing ".": invalid syntax' },
    { text: "1 %", says: 'strconv.ParseFloat: parsing "1 ": invalid syntax' },
    { text: "1e39%", says: 'strconv.ParseFloat: parsing "1e39": value out of range' },
    { text: "-1e39%", says: 'strconv.ParseFloat: parsing "-1e39": value out of range' },
  ])("$text is refused in Go's words", ({ text, says }) => expect(() => parseThreshold("s", text)).toThrow(says));

  test("a text that is longer than any number is refused before it is read", () => {
    expect(parsePercentage(`${"0".repeat(256)}%`)).toBe(0);
    expect(() => parsePercentage(`${"0".repeat(257)}%`)).toThrow("invalid syntax");
  });

  test.each([
    { text: "25.5%%%", share: 0.255 },
    { text: "+1e1%", share: 0.1 },
    { text: ".5", share: 0.005 },
    { text: "5.", share: 0.05 },
    { text: "infinity", share: Number.POSITIVE_INFINITY },
    { text: "-Inf", share: Number.NEGATIVE_INFINITY },
  ])("$text is the 32-bit float of $share", ({ text, share }) => expect(parsePercentage(text)).toBeCloseTo(share, 7));

  test("an amount stays as it is; a share is cut to whole bytes", () => {
    const amount = parseThreshold("s", "100Mi");
    expect(amount && thresholdQuantity(amount, 5)).toBe(amount && "quantity" in amount && amount.quantity);
    expect(thresholdQuantity({ percentage: 0.5 }, 5)).toMatchObject({ nano: 2_000_000_000n });
  });

  test("what is given holds alone, unless it is put on top of the kubelet's own", () => {
    const kubelet = {
      "memory.available": "100Mi",
      "nodefs.available": "10%",
      "nodefs.inodesFree": "5%",
      "imagefs.available": "15%",
      "imagefs.inodesFree": "5%",
    };
    const given = { "memory.available": "1Gi" };
    expect(effectiveEvictionHard(undefined, false)).toEqual(kubelet);
    expect(effectiveEvictionHard(given, false)).toEqual(given);
    expect(effectiveEvictionHard(given, true)).toEqual({ ...kubelet, ...given });
  });
});
