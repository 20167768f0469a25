/** The node of a scenario as it is at one moment, and over time. */
import { VirtualClock } from "@hooklet/sim";
import { expect, test } from "@jest/globals";
import { aPod } from "../../../../server/test/samples.js";
import type { ScenarioNode } from "../../../src/run/scenario-node.js";
import { finalState, snapshot, startSampling } from "../../../src/run/snapshot.js";

interface Given {
  readonly pods?: readonly object[];
  readonly failed?: readonly object[];
  readonly images?: readonly object[];
  /** Undefined: there is no such view. */
  readonly rows?: readonly object[];
  readonly conditions?: readonly object[];
}

function node({ pods = [], failed = [], images = [], rows, conditions = [] }: Given): ScenarioNode {
  return {
    api: {
      images: async () => images,
      node: async () => ({ conditions }),
      pods: () => pods,
      views: () => [{ name: "cgroups" }, ...(rows === undefined ? [] : [{ name: "devices" }])],
      view: async (name: string) => ({ rows: name === "devices" ? rows : [{ resource: "wrong" }] }),
    },
    source: { failed: () => failed },
  } as never;
}

const names = (pods: readonly { metadata: { name: string } }[]): readonly string[] =>
  pods.map((pod) => pod.metadata.name);

test("pods of the agent, and those that had failed before it came, each once, by namespace and name", async () => {
  const early = aPod("b", { status: { phase: "Failed" } });
  const first = aPod("c", { metadata: { namespace: "a", uid: "other" } });
  const { pods } = await snapshot(node({ pods: [aPod("d"), aPod("b")], failed: [early, first, aPod("a")] }));
  expect(names(pods)).toEqual(["c", "a", "b", "d"]);
  expect(pods[2]?.status?.phase).toBe("Running");
});

test("images with their names, and conditions by type", async () => {
  const found = await snapshot(
    node({
      images: [{ id: "sha256:1", repoTags: ["a:1", "a:2"], size: 5 }],
      conditions: [
        { type: "Ready", status: "True", reason: "R" },
        { type: "DiskPressure", status: "False" },
      ],
    }),
  );
  expect(found.images).toEqual([{ id: "sha256:1", names: ["a:1", "a:2"] }]);
  expect([...found.conditions]).toEqual([
    ["Ready", "True"],
    ["DiskPressure", "False"],
  ]);
});

test("devices with the pod that holds each; without a plugin of devices there are none", async () => {
  const rows = [
    { resource: "gpu", id: "1", pod: "web", namespace: "n" },
    { resource: "gpu", device: "2", pod: "web", namespace: "" },
    { resource: "gpu", id: "3", pod: "" },
    { resource: "gpu", id: "4", pod: null },
    { resource: "gpu", id: "5" },
  ];
  expect([...(await snapshot(node({ rows }))).devices]).toEqual([
    ["gpu/1", "n/web"],
    ["gpu/2", "default/web"],
    ["gpu/3", null],
    ["gpu/4", null],
    ["gpu/5", null],
  ]);
  expect([...(await snapshot(node({}))).devices]).toEqual([]);
});

test("at the end pods have their reason and class, images one name, devices their holder, each in order", async () => {
  const evicted = aPod("web", { status: { phase: "Failed", reason: "Evicted", qosClass: "Burstable" } });
  const { pods, images, devices } = await finalState(
    node({
      pods: [evicted, aPod("db")],
      images: [
        { id: "sha256:3", repoTags: [] },
        { id: "sha256:1", repoTags: ["b:1", "a:0"] },
        { id: "sha256:2", repoTags: ["a:1"] },
      ],
      rows: [
        { resource: "gpu", id: "2", pod: "web", namespace: "n" },
        { resource: "fpga", id: "9" },
        { resource: "gpu", id: "1" },
      ],
    }),
  );
  expect(pods.map(({ reason, qos }) => [reason, qos])).toEqual([
    ["", ""],
    ["Evicted", "Burstable"],
  ]);
  expect(images).toEqual(["a:1", "b:1", "sha256:3"]);
  expect(devices).toEqual([
    { device: "fpga/9", holder: "" },
    { device: "gpu/1", holder: "" },
    { device: "gpu/2", holder: "n/web" },
  ]);
});

function sampled(until: number, count: number, disk: object = { capacity: 10, available: 3 }) {
  const clock = new VirtualClock({ start: 0 });
  const start = clock.now();
  const samples = startSampling(
    {
      clock,
      recorder: {
        get now() {
          return clock.now() - start;
        },
      },
      machine: { usage: { total: 5 } },
      disks: { imageFs: () => disk },
      runtime: { imageBytes: () => 2 },
      pods: () => ({ running: 1, ready: 0 }),
    } as never,
    until,
    count,
  );
  return { clock, samples };
}

test("samples are taken from now to the end, evenly, the last one at the end", async () => {
  const { clock, samples } = sampled(10_000, 4);
  await clock.advance(20_000);
  expect(samples.map(({ t }) => t)).toEqual([0, 2.5, 5, 7.5, 10]);
  expect(samples[0]).toEqual({ t: 0, memory: 5, imageFsUsed: 7, images: 2, running: 1, ready: 0 });
  expect(clock.pending).toBe(0);
});

test.each([
  [3, 2, [0, 0.002, 0.003]],
  [2, 100, [0, 0.001, 0.002]],
  [0, 10, [0]],
])(
  "until %i ms, %i samples: none is later than the end, and at most one each millisecond",
  async (until, count, at) => {
    const { clock, samples } = sampled(until, count, {});
    await clock.advance(1_000);
    expect(samples.map(({ t }) => t)).toEqual(at);
    expect(samples[0]?.imageFsUsed).toBe(0);
  },
);
