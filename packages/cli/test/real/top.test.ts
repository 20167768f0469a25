import type { NodeStatistics } from "@hooklet/core/subsystem";
import { describe, expect, test } from "@jest/globals";
import { FakeAgent } from "../../../server/test/fake-agent.js";
import { aPod } from "../../../server/test/samples.js";
import { startFake } from "../../../server/test/start.js";
import { parseSelector } from "../../src/selector.js";
import { fakeIo, hooklet, type Result } from "../cli.js";

const time = "2026-01-01T00:00:00Z";
const MIB = 1024 ** 2;
const used = (nanoCores: number | undefined, bytes: number) => ({
  cpu: { time, ...(nanoCores !== undefined && { usageNanoCores: nanoCores }) },
  memory: { time, workingSetBytes: bytes },
});
type Used = ReturnType<typeof used>;

function podStatistics(name: string, containers: Readonly<Record<string, Used>>, namespace = "default") {
  return {
    podRef: { name, namespace, uid: aPod(name, { metadata: { namespace } }).metadata.uid },
    startTime: time,
    containers: Object.entries(containers).map(([container, usage]) => ({
      name: container,
      startTime: time,
      ...usage,
    })),
  };
}

async function withPods(): Promise<{ api: FakeAgent; run(words: string): Promise<Result> }> {
  const api = new FakeAgent();
  const { socket } = await startFake(api);
  api.setPods([
    aPod("web", { metadata: { labels: { app: "web" } } }),
    aPod("db"),
    aPod("dns", { metadata: { namespace: "kube-system" } }),
  ]);
  const summary: NodeStatistics = {
    node: { nodeName: "node1", startTime: time, ...used(250_000_001, 512 * MIB) },
    pods: [
      podStatistics("web", { main: used(100_000_000, 30 * MIB), sidecar: used(1, 2 * MIB + 5) }),
      podStatistics("db", { main: used(5_000_000, 200 * MIB) }),
      podStatistics("dns", { main: used(1_000_000, MIB) }, "kube-system"),
    ],
  };
  api.summary = summary;
  return { api, run: (words) => hooklet(words, fakeIo({ HOOKLET_SOCKET: socket })) };
}

test("of a pod of which no container is running top says so at once", async () => {
  const { api, run } = await withPods();
  const terminated = { exitCode: 1, reason: "Error" };
  const containerStatuses = [
    {
      name: "main",
      ready: false,
      restartCount: 3,
      image: "host",
      imageID: "",
      state: { waiting: { reason: "CrashLoopBackOff" } },
      lastState: { terminated },
    },
  ];
  api.setPods([aPod("crash", { status: { phase: "Running", conditions: [], containerStatuses } })]);
  expect(await run("top pod crash")).toEqual({
    code: 1,
    out: "",
    err: "error: Metrics not available: no container of pod crash is running. hooklet explain pod crash says why.\n",
  });
  expect(await run("top pods")).toMatchObject({ code: 0, err: "No resources found in default namespace.\n" });
});

describe("top pods", () => {
  test("is kubectl's table, by name; milli-cores are rounded up and memory down", async () => {
    const { run } = await withPods();
    expect(await run("top pods")).toEqual({
      code: 0,
      out: "NAME   CPU(cores)   MEMORY(bytes)\ndb     5m           200Mi\nweb    101m         32Mi\n",
      err: "",
    });
  });

  test("shows each container by itself", async () => {
    const { run } = await withPods();
    expect((await run("top po web --containers")).out).toBe(
      "POD   NAME      CPU(cores)   MEMORY(bytes)\nweb   main      100m         30Mi\nweb   sidecar   1m           2Mi\n",
    );
  });

  test.each([
    ["cpu", ["web", "db"]],
    ["memory", ["db", "web"]],
  ])("sorted by %s the most comes first", async (column, names) => {
    const { run } = await withPods();
    const lines = (await run(`top pods --no-headers --sort-by ${column}`)).out.trim().split("\n");
    expect(lines.map((line) => line.split(" ")[0])).toEqual(names);
  });

  test("of other namespaces are shown with -n and -A only, all with theirs", async () => {
    const { run } = await withPods();
    expect((await run("top pods -n kube-system --no-headers")).out).toBe("dns   1m    1Mi\n");
    expect((await run("top pods -A")).out.split("\n").map((line) => line.split(" ")[0])).toEqual([
      "NAMESPACE",
      "default",
      "default",
      "kube-system",
      "",
    ]);
  });

  test("are those with the labels asked for", async () => {
    const { run } = await withPods();
    expect((await run("top pods --no-headers -l app=web")).out).toBe("web   101m   32Mi\n");
    expect((await run("top pods -l app=none")).err).toBe("No resources found in default namespace.\n");
  });

  test("are added up with --sum", async () => {
    const { run } = await withPods();
    expect((await run("top pods --sum")).out.trim().split("\n").at(-1)?.trim().split(/\s+/)).toEqual(["106m", "232Mi"]);
  });

  test("that are not there are an error that names what is", async () => {
    const { run } = await withPods();
    const { code, err } = await run("top pod wbe");
    expect(code).toBe(1);
    expect(err).toContain('No pod "wbe"');
  });

  test("names and labels at once, another kind, a selector that is none: each is refused", async () => {
    const { run } = await withPods();
    for (const words of ["top pods web -l app=web", "top images", "top pods -l a=b=c"]) {
      expect((await run(words)).code).not.toBe(0);
    }
  });
});

test("top node shows shares of allocatable, or of the whole machine", async () => {
  const { api, run } = await withPods();
  const { capacity, allocatable } = await api.node();
  const { out } = await run("top node");
  expect(out.split("\n")[0]).toBe("NAME    CPU(cores)   CPU(%)   MEMORY(bytes)   MEMORY(%)");
  const share = (part: number, whole = 0): string => `${Math.trunc((part / whole) * 100)}%`;
  const expected = (total: typeof capacity): string[] => [
    "node1",
    "251m",
    share(251, total.cpu),
    "512Mi",
    share(512 * MIB, total.memory),
  ];
  expect(out.split("\n")[1]?.split(/\s+/)).toEqual(expected(allocatable));
  expect((await run("top node --show-capacity --no-headers")).out.trim().split(/\s+/)).toEqual(expected(capacity));
});

describe("a selector", () => {
  const labels = { app: "web", tier: "front", "example.com/zone": "a" };

  test.each([
    ["app=web", true],
    ["app==web,tier=front", true],
    ["app!=web", false],
    ["none!=x", true],
    ["app in (db, web)", true],
    ["app notin (db,web)", false],
    ["none notin (a)", true],
    ["none in (a)", false],
    ["app", true],
    ["!app", false],
    ["!none,example.com/zone=a", true],
    ["", true],
  ])("%p", (text, matches) => {
    expect(parseSelector(text)(labels)).toBe(matches);
  });

  test.each(["a=b=c", "=b", "a in b", "a,,b", "a in (x", "-a"])("%p is refused", (text) => {
    expect(() => parseSelector(text)).toThrow(expect.objectContaining({ code: "INVALID" }));
  });
});
