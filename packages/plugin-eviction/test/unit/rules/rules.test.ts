import { describe, expect, test } from "@jest/globals";
import { diskUsage, memoryUsage, movedBytes, processCount } from "../../../src/candidates.js";
import { consideredRows } from "../../../src/considered.js";
import { DryRunMemory } from "../../../src/evict.js";
import {
  candidatesFor,
  initialState,
  largestUsage,
  lowestPriorityFirst,
  observationsOf,
  parseThresholdConfig,
  rank,
  statisticsByUid,
  withLayout,
} from "../../../src/internal.js";
import { layoutOf, reclaimFor } from "../../../src/layout.js";
import { rested, unwatched } from "../../../src/memory-watch.js";
import { amountText, availableText, conditionChange, crossedText } from "../../../src/messages.js";
import { type Observation, plausible } from "../../../src/observations.js";
import {
  isCounted,
  isDiskSignal,
  isSignal,
  isThresholdSignal,
  type Signal,
  signalNames,
} from "../../../src/signals.js";
import { hasStorageLimits, storageLimits, storageOffenders } from "../../../src/storage-limits.js";
import { byUrgency, isMadeByTheDead, mergeThresholds, sameValue } from "../../../src/thresholds.js";
import { bytes, CRITICAL, dedicated, noSettings, oneDisk, pod, split, statisticsOf, withPriority } from "../pods.js";

describe("a number in a message", () => {
  test.each([
    { name: "nothing at all", recorded: 0, counts: 0 },
    { name: "some", recorded: 5, counts: 5 },
    { name: "not told", recorded: undefined, counts: undefined },
    { name: "below nothing", recorded: -1, counts: undefined },
    { name: "no number", recorded: Number.NaN, counts: undefined },
    { name: "just within 64 bits", recorded: 2 ** 63, counts: 2 ** 63 },
    { name: "beyond 64 bits", recorded: 2 ** 64, counts: undefined },
  ])("$name", ({ recorded, counts }) => {
    expect(plausible(recorded)).toBe(counts);
  });

  test("of a pod that is missing counts as 0", () => {
    const { podRef } = statisticsOf(pod("a"), {});
    expect([memoryUsage({ podRef }), processCount({ podRef }), movedBytes({ podRef })]).toEqual([0, 0, 0]);
    expect(movedBytes({ podRef, moved: { bytesPerSecond: 7 } })).toBe(7);
    expect(diskUsage(pod("a"), { podRef }, ["rootfs", "logs", "volumes"])).toEqual({ bytes: 0, inodes: 0 });
  });
});

describe("what a pod has on disk", () => {
  const volumes = [
    { name: "host", hostPath: { path: "/x" } },
    { name: "git", gitRepo: { repository: "x" } },
    { name: "config", configMap: { name: "x" } },
    { name: "disk", emptyDir: {} },
    { name: "empty", emptyDir: { medium: "" } },
    { name: "shm", emptyDir: { medium: "Memory" } },
    { name: "secret", secret: { secretName: "x" } },
  ] as never;
  const one = pod("a", {}, { spec: { volumes } });
  const statistics = {
    ...statisticsOf(one, {}),
    containers: [{ name: "main", rootfs: { usedBytes: 1, inodesUsed: 1 }, logs: { usedBytes: 2, inodesUsed: 1 } }],
    volume: ["host", "git", "config", "disk", "empty", "shm", "secret"].map((name, index) => ({
      name,
      usedBytes: 10 * 2 ** index,
      inodesUsed: 1,
    })),
  };

  test("counts volumes that lie on the node's own disks: not memory, not secrets, which lie there too", () => {
    expect(diskUsage(one, statistics, ["volumes"])).toEqual({ bytes: 10 * (1 + 2 + 4 + 8 + 16), inodes: 5 });
  });

  test("counts layers and logs separately", () => {
    expect(diskUsage(one, statistics, ["rootfs"])).toEqual({ bytes: 1, inodes: 1 });
    expect(diskUsage(one, statistics, ["logs"])).toEqual({ bytes: 2, inodes: 1 });
    expect(diskUsage(one, statistics, [])).toEqual({ bytes: 0, inodes: 0 });
  });

  const usage = (signal: Signal, layout = oneDisk) =>
    candidatesFor(signal, [one], statisticsByUid([statistics]), layout)[0]?.usage;
  const volumeBytes = 310;

  test.each([
    { name: "all of it on one disk", found: () => usage("nodefs.available"), bytes: volumeBytes + 3 },
    {
      name: "logs and volumes on nodefs, where images have their own",
      found: () => usage("nodefs.available", dedicated),
      bytes: volumeBytes + 2,
    },
    { name: "layers on imagefs there", found: () => usage("imagefs.available", dedicated), bytes: 1 },
    { name: "layers on containerfs there", found: () => usage("containerfs.available", dedicated), bytes: 1 },
    { name: "nothing on imagefs where images are alone", found: () => usage("imagefs.available", split), bytes: 0 },
    { name: "all of it on nodefs there", found: () => usage("nodefs.available", split), bytes: volumeBytes + 3 },
    { name: "inodes as well", found: () => usage("nodefs.inodesFree"), bytes: 7 },
  ])("for a threshold counts $name", ({ found, bytes: expected }) => {
    expect(found()).toBe(expected);
  });
});

describe("how disks are laid out", () => {
  test.each([
    { name: "one for all", devices: { node: "a", images: "a" }, layout: oneDisk },
    { name: "one for all, set three times", devices: { node: "a", images: "a", containers: "a" }, layout: oneDisk },
    { name: "images and layers on their own", devices: { node: "a", images: "b" }, layout: dedicated },
    { name: "images alone on their own", devices: { node: "a", images: "b", containers: "a" }, layout: split },
    { name: "layers alone on their own", devices: { node: "a", images: "a", containers: "b" }, layout: split },
  ])("$name", ({ devices, layout }) => {
    expect(layoutOf(devices)).toEqual(layout);
  });

  test.each([
    { signal: "nodefs.available", layout: oneDisk, found: ["containers", "images"] },
    { signal: "imagefs.inodesFree", layout: oneDisk, found: ["containers", "images"] },
    { signal: "nodefs.available", layout: dedicated, found: [] },
    { signal: "imagefs.available", layout: dedicated, found: ["containers", "images"] },
    { signal: "containerfs.available", layout: dedicated, found: ["containers", "images"] },
    { signal: "nodefs.inodesFree", layout: split, found: ["containers"] },
    { signal: "imagefs.available", layout: split, found: ["images"] },
    { signal: "containerfs.inodesFree", layout: split, found: ["containers"] },
    { signal: "memory.available", layout: oneDisk, found: [] },
    { signal: "pid.available", layout: oneDisk, found: [] },
    { signal: "psi.io.full", layout: oneDisk, found: [] },
  ] as const)("for $signal is tried first: $found", ({ signal, layout, found }) => {
    expect(reclaimFor(signal, layout)).toEqual(found);
  });
});

describe("signals", () => {
  test("of the kubelet's can have thresholds, hooklet's own of stalls cannot, and no other text is one", () => {
    expect(signalNames.filter(isThresholdSignal)).toEqual(signalNames.filter((name) => !name.startsWith("psi.")));
    expect(["memory.used", "toString", ""].map(isSignal)).toEqual([false, false, false]);
    expect(isThresholdSignal("memory.used")).toBe(false);
  });

  test("of disks are bytes and inodes, and what is counted has no bytes", () => {
    expect(signalNames.filter(isDiskSignal)).toEqual(signalNames.filter((name) => /fs\./.test(name)));
    expect((["memory", "ephemeral-storage", "inodes", "pids", "io"] as const).map(isCounted)).toEqual([
      false,
      false,
      true,
      true,
      false,
    ]);
  });

  test("are dealt with memory first, hard before soft, then in their order", () => {
    const thresholds = parseThresholdConfig({
      ...noSettings,
      evictionHard: { "pid.available": "10%", "imagefs.available": "10%", "nodefs.available": "10%" },
      evictionSoft: { "nodefs.available": "20%", "memory.available": "1Gi" },
      evictionSoftGracePeriod: { "nodefs.available": "1m", "memory.available": "1m" },
    });
    const order = byUrgency(thresholds).map(({ signal, gracePeriodSeconds }) => `${signal} ${gracePeriodSeconds}`);
    expect(order).toEqual([
      "memory.available 60",
      "nodefs.available 0",
      "imagefs.available 0",
      "pid.available 0",
      "nodefs.available 60",
    ]);
    expect(byUrgency(thresholds.toReversed())).toEqual(byUrgency(thresholds));
  });
});

describe("thresholds", () => {
  const of = (signal: string, text: string) =>
    parseThresholdConfig({ ...noSettings, evictionHard: { [signal]: text } });
  const [gi] = of("memory.available", "1Gi");
  const [mi] = of("memory.available", "1024Mi");
  const [percent] = of("memory.available", "10%");
  const [disk] = of("nodefs.available", "1Gi");

  test("are the same amount however it is written; a share is no amount", () => {
    const same = (a = gi, b = gi) => a !== undefined && b !== undefined && sameValue(a.value, b.value);
    expect([same(gi, mi), same(gi, percent), same(percent, gi), same(percent, percent)]).toEqual([
      true,
      false,
      false,
      true,
    ]);
  });

  test("are merged: duplicates are listed once", () => {
    const list = (...all: (typeof gi)[]) => all.flatMap((one) => one ?? []);
    expect(mergeThresholds(list(gi), list(mi, percent, disk))).toEqual(list(gi, percent, disk));
    const soft = list(gi).map((one) => ({ ...one, gracePeriodSeconds: 30 }));
    expect(mergeThresholds(list(gi), soft)).toHaveLength(2);
  });
});

describe("thresholds of containerfs", () => {
  const hard = (evictionHard: Record<string, string>) => parseThresholdConfig({ ...noSettings, evictionHard });
  const known = hard({ "nodefs.available": "10Gi", "imagefs.available": "5Gi" });
  const own = hard({ "nodefs.available": "10Gi", "containerfs.available": "1Gi" });
  const recorded = (all: readonly { readonly signal: string; readonly value: unknown }[]) =>
    all.filter(({ signal }) => signal === "containerfs.available").map(({ value }) => value);

  test.each([
    { name: "nodefs where all lies on one disk", layout: oneDisk, source: 0 },
    { name: "imagefs where layers lie beside images on a disk of their own", layout: dedicated, source: 1 },
  ])("are those of $name, from the next round on", ({ layout, source }) => {
    const { state, thresholds, replaced } = withLayout(initialState(known), layout);
    expect(thresholds).toEqual(known);
    expect(recorded(state.thresholds)).toEqual([known[source]?.value]);
    expect(replaced).toBeUndefined();
  });

  test("stay as the first layout brought them", () => {
    const { state } = withLayout(initialState(known), oneDisk);
    const later = withLayout(state, dedicated);
    expect([later.state.layout, later.thresholds]).toEqual([oneDisk, state.thresholds]);
  });

  test("replace what was set by hand, at once, which is reported", () => {
    const { state, thresholds, replaced } = withLayout(initialState(own), oneDisk);
    expect(thresholds).toEqual(state.thresholds);
    expect(recorded(thresholds)).toEqual([own[0]?.value]);
    expect(replaced).toBe("found containerfs.available for hard eviction. ignoring");
  });
});

describe("observations", () => {
  const time = "2026-01-01T00:00:00Z";

  test("of memory are what is left of what is left and used; of processes what is left of all", () => {
    const seen = observationsOf({
      memory: { availableBytes: 3, workingSetBytes: 5, time },
      systemContainers: [
        { name: "kubelet", memory: { availableBytes: 9, workingSetBytes: 9 } },
        { name: "pods", memory: { availableBytes: 1, workingSetBytes: 2 } },
      ],
      rlimit: { maxpid: 10, curproc: 12, time },
    });
    const at = Date.parse(time);
    expect([...seen]).toEqual([
      ["memory.available", { available: 3, capacity: 8, time: at }],
      ["allocatableMemory.available", { available: 1, capacity: 3 }],
      ["pid.available", { available: -2, capacity: 10, time: at }],
    ]);
  });

  test("without a number are missing, and do not affect the others", () => {
    const fs = { availableBytes: 1, capacityBytes: 2, inodesFree: 3 };
    const seen = observationsOf({
      memory: { availableBytes: 1 },
      fs,
      runtime: { imageFs: { inodesFree: 1, inodes: 2 }, containerFs: { capacityBytes: 2 } },
      rlimit: { maxpid: 10 },
    });
    expect([...seen.keys()]).toEqual(["nodefs.available", "imagefs.inodesFree"]);
  });

  test.each([
    { name: "the year 1, which Go writes for none", text: "0001-01-01T00:00:00Z" },
    { name: "no time at all", text: "soon" },
  ])("with $name have none", ({ text }) => {
    expect(
      observationsOf({ memory: { availableBytes: 1, workingSetBytes: 1, time: text } }).get("memory.available"),
    ).toEqual({
      available: 1,
      capacity: 2,
    });
  });
});

describe("processes that have ended and wait for the machine's init", () => {
  const [threshold] = parseThresholdConfig({ ...noSettings, evictionHard: { "pid.available": "100" } });
  const [ofMemory] = parseThresholdConfig({ ...noSettings, evictionHard: { "memory.available": "100" } });
  const seen = (signal: Signal) => new Map([[signal, { available: 60, capacity: 1000 }]]);
  const made = (dead: number, one = threshold, signal: Signal = "pid.available") =>
    one !== undefined && isMadeByTheDead(one, seen(signal), dead);

  test("no eviction ends zombies: where they alone cross the threshold no pod is evicted", () => {
    expect([made(39), made(40), made(0)]).toEqual([false, true, false]);
  });

  test("free what they free, however much has to be free once a pod has gone", () => {
    const withReclaim = threshold && { ...threshold, ...(ofMemory && { minReclaim: ofMemory.value }) };
    expect(made(40, withReclaim)).toBe(true);
  });

  test("do not matter for anything else", () => {
    expect([made(1000, ofMemory, "memory.available"), made(1000, threshold, "memory.available")]).toEqual([
      false,
      false,
    ]);
  });
});

describe("limits of local storage", () => {
  const limited = pod(
    "a",
    {},
    {
      containers: [
        { name: "main", limits: { "ephemeral-storage": "1Ki" } },
        { name: "free" },
        { name: "none", limits: { "ephemeral-storage": "0" } },
      ],
      spec: {
        volumes: [
          { name: "small", emptyDir: { sizeLimit: "1500m" } },
          { name: "zero", emptyDir: { sizeLimit: "0" } },
          { name: "open", emptyDir: {} },
          { name: "host", hostPath: { path: "/" } },
        ],
      } as never,
    },
  );

  test("are those of emptyDirs above 0 and of containers that are not 0, in whole bytes", () => {
    const { emptyDirs, containers } = storageLimits(limited);
    expect([...emptyDirs]).toEqual([["small", { bytes: 1, text: "1500m" }]]);
    expect([...containers]).toEqual([["main", { bytes: 1024, text: "1Ki" }]]);
    expect(storageLimits(limited)).toBe(storageLimits({ ...limited, status: { phase: "Running" } }));
    expect([hasStorageLimits(limited), hasStorageLimits(pod("b"))]).toEqual([true, false]);
  });

  const used = (parts: object) => statisticsByUid([{ ...statisticsOf(limited, {}), ...parts }]);
  const offence = (parts: object, layout = oneDisk, of = limited) => storageOffenders([of], used(parts), layout)[0];
  const main = (rootfs: number, logs?: number) => ({
    containers: [
      { name: "main", rootfs: { usedBytes: rootfs }, ...(logs !== undefined && { logs: { usedBytes: logs } }) },
    ],
  });

  test.each([
    {
      name: "a volume at its limit stays",
      found: () => offence({ volume: [{ name: "small", usedBytes: 1 }] }),
      signal: undefined,
    },
    {
      name: "a volume over its limit goes",
      found: () => offence({ volume: [{ name: "small", usedBytes: 2 }] }),
      signal: "emptydirfs.limit",
    },
    {
      name: "a volume without a limit stays",
      found: () => offence({ volume: [{ name: "open", usedBytes: 2 ** 40 }] }),
      signal: undefined,
    },
    { name: "a container at its limit stays", found: () => offence(main(1000, 24)), signal: undefined },
    {
      name: "layer and logs count together",
      found: () => offence(main(1000, 25)),
      signal: "ephemeralcontainerfs.limit",
    },
    {
      name: "layers on a disk of their own do not count",
      found: () => offence(main(2000, 1024), dedicated),
      signal: undefined,
    },
    { name: "logs do there", found: () => offence(main(0, 1025), dedicated), signal: "ephemeralcontainerfs.limit" },
    {
      name: "a critical pod stays",
      found: () =>
        offence({ volume: [{ name: "small", usedBytes: 2 }] }, oneDisk, {
          ...limited,
          spec: { ...limited.spec, priority: CRITICAL },
        }),
      signal: undefined,
    },
  ])("$name", ({ found, signal }) => {
    expect(found()?.signal).toBe(signal);
  });

  test("of all containers together hold for the pod", () => {
    const both = pod("b", {}, { containers: [{ limits: { "ephemeral-storage": "1Ki" } }] });
    const of = (usedBytes: number) =>
      storageOffenders(
        [both],
        statisticsByUid([{ ...statisticsOf(both, {}), "ephemeral-storage": { usedBytes } }]),
        oneDisk,
      );
    expect(of(1024)).toEqual([]);
    expect(of(1025)).toEqual([
      {
        pod: both,
        signal: "ephemeralpodfs.limit",
        message: "Pod ephemeral local storage usage exceeds the total limit of containers 1Ki. ",
      },
    ]);
    expect(storageOffenders([both], new Map(), oneDisk)).toEqual([]);
  });
});

describe("amounts in messages", () => {
  test.each([
    { resource: "memory", amount: 1536 * 1024, text: "1536Ki" },
    { resource: "inodes", amount: 100_000, text: "100k" },
    { resource: "pids", amount: 12, text: "12" },
    { resource: "io", amount: 1024, text: "1Ki/s" },
  ] as const)("$amount of $resource is $text", ({ resource, amount, text }) => {
    expect(amountText(resource, amount)).toBe(text);
  });

  test("a threshold is shown as an amount of this node; a stall as a share of time", () => {
    const seen: Observation = { available: bytes("50Mi"), capacity: bytes("1Gi") };
    expect(crossedText("memory.available", { percentage: 0.25 }, seen)).toBe(
      "Threshold quantity: 256Mi, available: 50Mi. ",
    );
    expect(availableText("pid.available", { available: 1000 })).toBe("1k");
    expect(crossedText("psi.memory.full", { percentage: 0.9 }, { available: 7500, capacity: 10_000 })).toBe(
      "Threshold: psi.memory.full above 90% of the time, found: 25%. ",
    );
  });
});

describe("`hooklet explain` of pods", () => {
  const over = pod("over", { memory: "100Mi" }, withPriority(5));
  const silent = pod("silent");
  const vital = pod("vital", {}, withPriority(CRITICAL));
  const pods = [over, silent, vital];
  const statistics = statisticsByUid([statisticsOf(over, { memory: bytes("200Mi"), processes: 3 })]);
  const rows = (
    signal: Signal,
    resource: "memory" | "pids",
    order = candidatesFor(signal, pods, statistics, oneDisk),
  ) => consideredRows(resource, { order, words: new Map([[over.metadata.uid, "its turn"]]), victim: order[0] }, pods);

  test("the victim, those that would follow, and those that are protected", () => {
    expect(
      rows("memory.available", "memory").map(({ candidate, verdict, why }) => `${candidate} ${verdict} ${why}`),
    ).toEqual([
      "pod/default/over victim over its request; uses 200Mi memory of 100Mi requested; priority 5; its turn",
      "pod/default/silent spared no statistics; priority 0",
      `pod/default/vital protected critical: priority ${CRITICAL}`,
    ]);
  });

  test("no pod exceeds a request of what cannot be requested", () => {
    expect(rows("pid.available", "pids")[0]?.why).toBe("uses 3 pids; priority 5; its turn");
  });

  test("a static pod is reported as one", () => {
    const fixed = pod("static", {}, { source: "file" });
    const [row] = consideredRows("memory", { order: [], words: new Map(), victim: undefined }, [fixed]);
    expect(row).toEqual({ candidate: "pod/default/static", verdict: "protected", why: "critical: it is static" });
  });

  test("a mirror of a static pod is reported as one", () => {
    const mirror = pod("mirror", {}, { annotations: { "kubernetes.io/config.mirror": "hash" } });
    const [row] = consideredRows("memory", { order: [], words: new Map(), victim: undefined }, [mirror]);
    expect(row?.why).toBe("critical: it mirrors a static pod");
  });

  test("protected pods are cut as the others are", () => {
    const vital = Array.from({ length: 300 }, (_, index) => pod(`v${index}`, {}, withPriority(CRITICAL)));
    const all = consideredRows("memory", { order: [], words: new Map(), victim: undefined }, vital);
    expect([all.length, all.at(-1)?.candidate]).toEqual([251, "50 more pods"]);
  });

  test("a node fuller than 250 pods is cut, and the rest counted", () => {
    const many = (count: number) => Array.from({ length: count }, (_, index) => pod(`p${index}`));
    const of = (count: number) => {
      const all = many(count);
      const order = candidatesFor("memory.available", all, new Map(), oneDisk);
      return consideredRows("memory", { order, words: new Map(), victim: undefined }, all);
    };
    expect(of(250).at(-1)?.verdict).toBe("spared");
    expect([of(251).length, of(251).at(-1)]).toEqual([
      251,
      { candidate: "1 more pods", verdict: "not shown", why: "more than 250 pods" },
    ]);
  });
});

describe("custom rankings", () => {
  const amounts = [
    ["small", 10, 1],
    ["large", 30, 9],
    ["same", 30, 2],
  ] as const;
  const pods = [
    ...amounts.map(([name, , priority]) => pod(name, {}, withPriority(priority))),
    pod("silent", {}, withPriority(5)),
  ];
  const statistics = statisticsByUid(
    amounts.map(([, memory], index) => statisticsOf(pods[index] ?? pod(""), { memory })),
  );
  const candidates = candidatesFor("memory.available", pods, statistics, oneDisk);
  const input = { signal: "memory.available", resource: "memory", layout: oneDisk, candidates } as const;
  const names = (order: ReturnType<typeof rank>) => order.order.map(({ pod: { metadata } }) => metadata.name);

  test("largest-usage: the largest, of equals the less important one, the silent last", () => {
    expect(names(rank(input, largestUsage, "x"))).toEqual(["same", "large", "small", "silent"]);
  });

  test("lowest-priority-first: the least important", () => {
    expect(names(rank(input, lowestPriorityFirst, "x"))).toEqual(["small", "same", "silent", "large"]);
  });
});

describe("what is reported once", () => {
  test("in a dry run each pod and signal, and again after five minutes", () => {
    const memory = new DryRunMemory();
    const [a, b] = [pod("a"), pod("b")];
    const news = (of: typeof a, signal: Signal, now: number) => memory.isNews({ pod: of, signal }, now);
    expect([
      news(a, "memory.available", 0),
      news(a, "memory.available", 1),
      news(a, "nodefs.available", 1),
      news(b, "memory.available", 1),
      news(a, "memory.available", 299_999),
      news(a, "memory.available", 300_000),
    ]).toEqual([true, false, true, true, false, true]);
  });

  test("a condition that stays keeps its words; one that changes has the kubelet's, and an event of the node's", () => {
    const before = { status: "True", reason: "mine", message: "as it was" } as const;
    expect(conditionChange("DiskPressure", true, before)).toEqual({ condition: before });
    expect(conditionChange("DiskPressure", false, before)).toEqual({
      condition: { status: "False", reason: "KubeletHasNoDiskPressure", message: "kubelet has no disk pressure" },
      event: "NodeHasNoDiskPressure",
    });
    expect(conditionChange("PIDPressure", true, undefined).event).toBe("NodeHasInsufficientPID");
  });
});

test("after a failed check memory rests for a second", () => {
  expect(rested(unwatched, 500)).toEqual({ asked: new Map(), restUntil: 1500 });
});
