import { VirtualClock } from "@hooklet/testkit";
import { expect, test } from "@jest/globals";
import type { Sample } from "../../../src/plugin/contract.js";
import { collectedText } from "../../../src/plugin/metrics.js";

const family = { name: "a_total", help: "What\\is\nit.", type: "counter" as const };
const other = { name: "b", help: "B.", type: "gauge" as const };
const text = (samples: Record<string, Iterable<Sample>>): Promise<string> =>
  collectedText(
    { owner: "sample", path: "/metrics", families: [family, other], read: () => samples },
    new VirtualClock(),
  );

test("each family has its help, its type and a line for each sample; one without samples is left out", async () => {
  const samples: Sample[] = [
    { value: 1 },
    { value: 2.5, labels: { pod: 'a"\\\nb', node: "n" } },
    { value: 3, suffix: "_sum", labels: {}, timestamp: 1700.9 },
  ];
  expect(await text({ a_total: samples, b: [] })).toBe(
    [
      "# HELP a_total What\\\\is\\nit.",
      "# TYPE a_total counter",
      "a_total 1",
      'a_total{pod="a\\"\\\\\\nb",node="n"} 2.5',
      "a_total_sum 3 1700",
      "",
    ].join("\n"),
  );
  expect(await text({})).toBe("");
  expect(await text({ b: [{ value: 0 }] })).toBe("# HELP b B.\n# TYPE b gauge\nb 0\n");
});

test.each([
  [Number.NaN, "NaN"],
  [Number.POSITIVE_INFINITY, "+Inf"],
  [Number.NEGATIVE_INFINITY, "-Inf"],
  [1e21, "1e+21"],
])("the value %d is written %s", async (value, written) => {
  expect(await text({ b: [{ value }] })).toContain(`\nb ${written}\n`);
});

test("a reading that fails or takes 10 s has no text", async () => {
  const clock = new VirtualClock();
  const reading = (read: () => Promise<never>) =>
    collectedText({ owner: "sample", path: "/metrics", families: [family], read }, clock);
  await expect(reading(() => Promise.reject(new Error("no")))).rejects.toThrow("no");
  const late = expect(reading(() => new Promise(() => undefined))).rejects.toThrow(
    "metrics of sample: no reading within 10 s",
  );
  await clock.advance(10_000);
  await late;
});
