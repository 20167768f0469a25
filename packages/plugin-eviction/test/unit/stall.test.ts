import { describe, expect, test } from "@jest/globals";
import { observationsOf, thresholdsOf } from "../../src/internal.js";
import { availableText, valueText } from "../../src/messages.js";
import { stallThresholds, stallWindows } from "../../src/parse-thresholds.js";
import { StallMeter, stallTotals } from "../../src/stall.js";
import { thresholdsMet } from "../../src/thresholds.js";

const file = (some: number, full: number) =>
  `some avg10=1.00 avg60=0.50 avg300=0.10 total=${some}\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=${full}\n`;

test.each([
  { name: "both lines", text: file(120, 7), totals: { some: 120, full: 7 } },
  { name: "only some, as of the processor on old kernels", text: file(120, 7).split("\n")[0], totals: { some: 120 } },
  { name: "a kernel without PSI", text: "", totals: {} },
])("totals of $name", ({ text = "", totals }) => {
  expect(stallTotals(text)).toStrictEqual(totals);
});

/** Reads at these seconds, when the file tells these microseconds; gives the shares of `psi.memory.full`. */
function shares(looks: readonly (readonly [at: number, total: number])[], window = 10, meter?: StallMeter) {
  const used = meter ?? new StallMeter({ memory: { window } });
  return looks.map(([at, total]) => {
    const kernel = { read: () => file(0, total), directories: () => [] };
    return used.read(kernel, at * 1000).get("psi.memory.full");
  });
}

describe("the share of a window that was stalled", () => {
  test("is reported once a whole window has passed, in hundredths of a percent", () => {
    expect(
      shares([
        [0, 0],
        [5, 1_000_000],
        [10, 2_500_000],
      ]),
    ).toEqual([undefined, undefined, 2500]);
  });

  test("goes by the last window alone", () => {
    expect(
      shares([
        [0, 0],
        [10, 10_000_000],
        [20, 10_000_000],
      ]),
    ).toEqual([undefined, 10_000, 0]);
  });

  test("does not mind a round that comes a little early", () => {
    expect(
      shares([
        [0, 0],
        [9.95, 995_000],
      ]),
    ).toEqual([undefined, 1000]);
  });

  test("starts again after an eviction", () => {
    const meter = new StallMeter({ memory: { window: 10 } });
    shares(
      [
        [0, 0],
        [10, 5_000_000],
      ],
      10,
      meter,
    );
    meter.forget();
    expect(
      shares(
        [
          [11, 5_500_000],
          [15, 5_500_000],
          [21, 5_500_000],
        ],
        10,
        meter,
      ),
    ).toEqual([undefined, undefined, 0]);
  });

  test("keeps few samples, however often it is read", () => {
    const looks = Array.from({ length: 1000 }, (_, index) => [index / 10, index * 10_000] as const);
    // A tenth of each second is stalled.
    for (const share of shares(looks).slice(100)) expect(share).toBe(1000);
  });

  test("uses the last window, however often it is read: what was before it fades out", () => {
    // Quiet for 30 seconds, then every moment is stalled for 15, then quiet again.
    const looks = Array.from({ length: 601 }, (_, index): [number, number] => {
      const stalled = Math.min(15, Math.max(0, index / 10 - 30));
      return [index / 10, Math.round(stalled * 1_000_000)];
    });
    const found = shares(looks);
    expect([found[290], found[400], found[440], found[560]]).toEqual([0, 10_000, 10_000, 0]);
    expect(found[350]).toBeGreaterThan(4_000);
    expect(found[350]).toBeLessThan(6_000);
  });

  test("is the previous sample for more than forty reads in a window", () => {
    // Looks at 0, 0.1, 0.2 ... 10 s; what stalls, stalls in the first of them. Kept are those at 0, 0.3, 0.6 ...
    const looks = Array.from({ length: 101 }, (_, index) => [index / 10, index === 0 ? 0 : 100_000] as const);
    const found = shares(looks);
    expect([found[90], found[92]]).toEqual([111, 109]);
    expect([found[93], found[100]]).toEqual([0, 0]);
    // Kept are those at 0, 0.25, 0.5 ...: the first of them is as old as a look at 9.25 s asks for.
    const steps = [0, 0.25, 9.24, 9.25, 9.26];
    expect(shares(steps.map((at) => [at, at === 0 ? 0 : 100_000])).slice(2)).toEqual([108, 0, 0]);
  });

  test("is reported from nine tenths of the window on, not before", () => {
    const at = (seconds: number) =>
      shares([
        [0, 0],
        [seconds, 900_000],
      ])[1];
    expect([at(8.9), at(9)]).toEqual([undefined, 1000]);
  });

  test("is empty over a time without readings of the kernel", () => {
    const meter = new StallMeter({ memory: { window: 10 } });
    const read = (seconds: number, text: string | undefined) =>
      meter.read({ read: () => text }, seconds * 1000).get("psi.memory.full");
    expect(read(0, undefined)).toBeUndefined();
    expect(read(10, file(0, 5_000_000))).toBeUndefined();
    expect(read(20, file(0, 10_000_000))).toBe(5000);
    expect(read(30, "")).toBeUndefined();
  });

  test("never goes below none or above all, for any counters", () => {
    expect(
      shares([
        [0, 5_000_000],
        [10, 0],
        [20, 60_000_000],
      ]),
    ).toEqual([undefined, 0, 10_000]);
  });

  test("is read of each resource that has settings, in its own file", () => {
    const meter = new StallMeter(stallWindows({ io: { window: 10 } }));
    const asked: string[] = [];
    const kernel = {
      read: (path: string) => {
        asked.push(path);
        return file(0, 0);
      },
      directories: () => [],
    };
    meter.read(kernel, 0);
    expect([...meter.read(kernel, 10_000).keys()]).toEqual(["psi.io.some", "psi.io.full"]);
    expect(new Set(asked)).toEqual(new Set(["/proc/pressure/io"]));
    const [memory, io] = [{ window: 1 }, { window: 2 }];
    expect([stallWindows({ memory, io }), stallWindows({ memory }), stallWindows({ io: undefined })]).toEqual([
      { memory, io },
      { memory },
      {},
    ]);
    expect(Object.keys(stallWindows({ memory, io: undefined }))).toEqual(["memory"]);
  });

  test("without PSI there is no signal", () => {
    const meter = new StallMeter({ memory: { window: 1 }, io: { window: 1 } });
    const kernel = { read: () => undefined, directories: () => [] };
    meter.read(kernel, 0);
    expect(meter.read(kernel, 1000).size).toBe(0);
  });
});

describe("thresholds of option psi", () => {
  const settings = { memory: { full: 10, window: 10 }, io: { some: 50, full: 25.5, window: 30 } };

  test("each is a hard threshold of a separate signal", () => {
    expect(
      stallThresholds(settings).map(({ signal, gracePeriodSeconds }) => `${signal} ${gracePeriodSeconds}`),
    ).toEqual(["psi.memory.full 0", "psi.io.some 0", "psi.io.full 0"]);
    expect(stallThresholds({})).toEqual([]);
  });

  test("is crossed above its share, not at it", () => {
    const met = (share: number) => {
      const stalled = { time: "2026-01-01T00:00:00Z", shares: new Map([["psi.memory.full", share]] as const) };
      return thresholdsMet(stallThresholds(settings), observationsOf({ stalled }), { minReclaim: false }).length;
    };
    expect([999, 1000, 1001].map(met)).toEqual([0, 0, 1]);
  });

  test("messages have shares of time", () => {
    expect(stallThresholds(settings).map(valueText)).toEqual(["10%", "50%", "25.5%"]);
    expect(availableText("psi.io.some", { available: 10_000 - 1234 })).toBe("12.34%");
  });

  test("none of these signals can be set as a threshold of the kubelet's", () => {
    const options = {
      evictionSoft: {},
      evictionSoftGracePeriod: {},
      evictionMinimumReclaim: {},
      enforceNodeAllocatable: [],
    };
    expect(() => thresholdsOf({ "psi.memory.full": "10%" }, { ...options, psi: {} } as never)).toThrow(
      "unsupported eviction signal psi.memory.full",
    );
  });
});
