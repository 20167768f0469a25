import { describe, expect, test } from "@jest/globals";
import { completed, readOwn } from "../src/readings/own.js";
import { pod, statisticsOf } from "./pods.js";
import { limited, readings } from "./readings.js";

describe("what a provider tells of storage", () => {
  const lately = "1970-01-01T00:00:00Z";
  const told = (time: string) => ({
    ...statisticsOf(limited, { disk: 10 }),
    containers: [{ name: "main", rootfs: { usedBytes: 10 }, logs: { time, usedBytes: 20 } }],
    volume: [{ name: "data", time, usedBytes: 30 }],
    "ephemeral-storage": { usedBytes: 61 },
  });
  const ask = async (what: Parameters<typeof completed>[3], time = lately, now = 5_000) => {
    const ports = readings({ now: () => now });
    const [statistics] = await completed(ports, [limited], [told(time)], what);
    return { statistics, measured: ports.measured.map((path) => path.split("/").at(-1)) };
  };

  test("is good enough for a limit; what is not told is measured", async () => {
    const { statistics, measured } = await ask("limits", lately, 10_000_000);
    expect(measured).toEqual([]);
    expect(statistics?.["ephemeral-storage"]).toEqual({ usedBytes: 61 });
  });

  test("is taken for a full disk when it is of lately, beside what is measured", async () => {
    const { statistics, measured } = await ask("ephemeral-storage");
    expect(measured).toEqual(["cache"]);
    expect(statistics?.volume?.map(({ name, usedBytes }) => `${name} ${usedBytes}`)).toEqual(["data 30", "cache 77"]);
    expect(statistics?.["ephemeral-storage"]).toEqual({ usedBytes: 10 + 20 + 30 + 77 });
  });

  test("is measured anew for a full disk when it is older than 10 s", async () => {
    const { statistics, measured } = await ask("ephemeral-storage", lately, 10_000);
    expect(measured.sort()).toEqual(["cache", "data", "main"]);
    expect(statistics?.containers?.[0]?.logs).toEqual({ usedBytes: 77, inodesUsed: 3 });
  });

  test("of writable layers too: the runtime is asked once for all, and where it does not count them they are measured", async () => {
    let asked = 0;
    const label = (name: string) => ({
      "io.kubernetes.pod.uid": limited.metadata.uid,
      "io.kubernetes.container.name": name,
    });
    const ports = readings({
      now: () => 60_000,
      volumeDirectories: () => [],
      listContainerStats: async () => {
        asked += 1;
        return [
          { id: "1", labels: label("main"), writableLayerUsedBytes: 500 },
          { id: "2", labels: label("side"), writableLayerDirectory: "/layers/2" },
        ];
      },
    });
    const old = { time: lately, usedBytes: 1 };
    const containers = ["main", "side"].map((name) => ({
      name,
      rootfs: old,
      logs: { time: "1970-01-01T00:01:00Z", usedBytes: 5 },
    }));
    const [statistics] = await completed(
      ports,
      [limited],
      [{ ...told(lately), containers, volume: [] }],
      "ephemeral-storage",
    );
    expect(statistics?.containers?.map(({ rootfs }) => rootfs?.usedBytes)).toEqual([500, 77]);
    expect(statistics?.["ephemeral-storage"]).toEqual({ usedBytes: 500 + 77 + 5 + 5 });
    expect({ asked, measured: ports.measured }).toEqual({ asked: 1, measured: ["/layers/2"] });
  });

  test("that the runtime cannot tell anew stays as it was told", async () => {
    const ports = readings({
      now: () => 60_000,
      volumeDirectories: () => [],
      listContainerStats: async () => {
        throw new Error("the runtime is away");
      },
    });
    const [statistics] = await completed(ports, [limited], [told(lately)], "ephemeral-storage");
    expect(statistics?.containers?.[0]?.rootfs).toEqual({ usedBytes: 10 });
    expect(ports.measured).toContain("not writable layer of main");
  });

  test.each(["memory", "pids"] as const)("does not matter when %s runs short", async (what) => {
    expect((await ask(what, lately, 10_000_000)).measured).toEqual([]);
  });
});

test("a volume in memory is measured for its own limit, and is no storage of the node", async () => {
  const shm = pod(
    "shm",
    {},
    { spec: { volumes: [{ name: "shm", emptyDir: { medium: "Memory", sizeLimit: "1Gi" } }] } },
  );
  const ports = readings({ volumeDirectories: () => [{ name: "shm", path: "/shm", medium: "Memory" }] });
  const [statistics] = await (await readOwn(ports, () => [shm])).pods("limits");
  expect(statistics?.volume).toEqual([{ name: "shm", usedBytes: 77, inodesUsed: 3 }]);
  expect(statistics?.["ephemeral-storage"]).toEqual({ usedBytes: 0 });
});
