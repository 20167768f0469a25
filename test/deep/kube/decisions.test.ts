/** What the node decides by itself, as the API shows it: evictions, preemptions, refusals, devices that fall ill, resizes. */
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { root } from "../../sources.js";
import { until } from "../../support/agent.js";
import { PluginProcess } from "../../support/device-node.js";
import { kubectl, type ListedPod, Place, pod, say } from "./cluster.js";
import { HookletNode } from "./nodes.js";

/** Mebibytes of the disk of its own that the node has. */
const DISK = 256;
const MAX_PODS = 5;
const NULL = "demo.hooklet.dev/null";
const demo = path.join(root, "examples/device-plugin/dist/main.js");

interface Conditioned {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
}

interface Whole {
  readonly status: {
    readonly phase: string;
    readonly reason?: string;
    readonly message?: string;
    readonly conditions: readonly Conditioned[];
    readonly containerStatuses?: readonly {
      readonly containerID?: string;
      readonly restartCount: number;
      readonly resources?: { readonly limits?: Readonly<Record<string, string>> };
      readonly allocatedResourcesStatus?: readonly {
        readonly name: string;
        readonly resources: readonly { readonly resourceID: string; readonly health: string }[];
      }[];
    }[];
  };
}

interface Summary {
  readonly pods: readonly {
    readonly podRef: { readonly name: string };
    readonly "ephemeral-storage"?: { readonly usedBytes?: number };
  }[];
}

interface NodeObject {
  readonly spec: { readonly taints?: readonly { readonly key: string; readonly effect: string }[] };
  readonly status: {
    readonly allocatable: Readonly<Record<string, string>>;
    readonly conditions: readonly Conditioned[];
  };
}

describe("at the API", () => {
  let node: HookletNode;
  let place: Place;
  let plugin: PluginProcess | undefined;

  const whole = async (name: string): Promise<Whole> => (await place.pod(name)) as ListedPod as unknown as Whole;
  const there = async (): Promise<NodeObject> =>
    JSON.parse(await kubectl("get", "node", node.name, "-o", "json")) as NodeObject;
  const pressed = async (): Promise<string | undefined> =>
    (await there()).status.conditions.find(({ type }) => type === "DiskPressure")?.status;
  const tainted = async (): Promise<boolean> =>
    ((await there()).spec.taints ?? []).some(
      ({ key, effect }) => key === "node.kubernetes.io/disk-pressure" && effect === "NoSchedule",
    );
  const reasons = async (name: string): Promise<string> =>
    kubectl("get", "events", "-A", "--field-selector", `involvedObject.name=${name}`, "-o", "jsonpath={..reason}");
  const isMeasured = async (name: string): Promise<boolean> => {
    const summary = await kubectl("get", "--raw", `/api/v1/nodes/${node.name}/proxy/stats/summary`);
    const one = (JSON.parse(summary) as Summary).pods.find(({ podRef }) => podRef.name === name);
    return one?.["ephemeral-storage"]?.usedBytes !== undefined;
  };
  const disrupted = ({ status }: Whole): Conditioned | undefined =>
    status.conditions.find(({ type }) => type === "DisruptionTarget");

  beforeAll(async () => {
    node = await HookletNode.create("worker1");
    // Its own small disk, gone with the node's folder.
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${DISK}m,mode=0755`, "tmpfs", node.rootDir]);
    const config = path.join(node.folder, "hookletrc.json");
    const rc = JSON.parse(readFileSync(config, "utf8")) as { node: object; plugins: readonly unknown[] };
    const evictionHard = { "memory.available": "100Mi", "nodefs.available": "40%", "imagefs.available": "1Gi" };
    const plugins = [...rc.plugins, ["eviction", { evictionPressureTransitionPeriod: "10s" }]];
    writeFileSync(config, JSON.stringify({ ...rc, node: { ...rc.node, maxPods: MAX_PODS, evictionHard }, plugins }));
    await node.start();
    place = await Place.create("decisions");
  }, 180_000);

  afterEach(async () => {
    await place?.kubectl("delete", "pods", "--all", "--timeout=90s");
  }, 120_000);

  afterAll(async () => {
    plugin?.kill();
    await place?.remove().finally(() => node?.remove());
  }, 240_000);

  test("a pod that fills the node's disk is Failed by Evicted, with DisruptionTarget; the node has DiskPressure and its taint, and then not", async () => {
    // Within what it asked for, and known to be: a pod without statistics would go first.
    const resources = { requests: { "ephemeral-storage": "50Mi" } };
    await place.apply(pod("bystander", { resources }, { nodeName: node.name }));
    await place.ready("app=bystander", 1);
    await until("the node knows what it uses", () => isMeasured("bystander"), 60);
    const before = await whole("bystander");
    const fill = "dd if=/dev/zero of=/data/file bs=1M count=190; sleep 3600";
    const volumeMounts = [{ name: "data", mountPath: "/data" }];
    const volumes = [{ name: "data", emptyDir: {} }];
    await place.apply(pod("filler", { command: ["sh", "-c", fill], volumeMounts }, { nodeName: node.name, volumes }));
    await until("the node has DiskPressure", async () => (await pressed()) === "True", 90);
    await until("and its taint", tainted, 60);
    await until("the pod is evicted", async () => (await whole("filler")).status.phase === "Failed", 60);
    const filler = await whole("filler");
    expect(filler.status.reason).toBe("Evicted");
    expect(filler.status.message).toMatch(/^The node was low on resource: ephemeral-storage\./);
    expect(disrupted(filler)).toMatchObject({ status: "True", reason: "TerminationByKubelet" });
    await until("an event tells of it", async () => (await reasons("filler")).includes("Evicted"), 60);
    await until("the pressure is over", async () => (await pressed()) === "False", 120);
    await until("and its taint", async () => !(await tainted()), 60);
    expect(await reasons(node.name)).toMatch(/NodeHasDiskPressure.*NodeHasNoDiskPressure|NodeHasNoDiskPressure/);
    expect((await whole("bystander")).status.containerStatuses).toEqual(before.status.containerStatuses);
  }, 420_000);

  test("on a full node a critical pod takes the place of one other, which is Failed by Preempting; an ordinary one is refused", async () => {
    const names = Array.from({ length: MAX_PODS }, (_, i) => `low-${i}`);
    await place.apply(...names.map((name) => pod(name, {}, { nodeName: node.name })));
    for (const name of names) await place.ready(`app=${name}`, 1);
    await place.apply(pod("ordinary", {}, { nodeName: node.name }));
    await until("it is refused", async () => (await whole("ordinary")).status.phase === "Failed", 60);
    expect((await whole("ordinary")).status.reason).toBe("OutOfpods");
    await place.apply(pod("critical", {}, { nodeName: node.name, priorityClassName: "system-node-critical" }));
    await place.ready("app=critical", 1, 90);
    const all = await Promise.all(names.map(whole));
    const [victim, ...others] = all.filter(({ status }) => status.phase === "Failed");
    expect(others).toEqual([]);
    expect(victim?.status.reason).toBe("Preempting");
    expect(victim?.status.message).toBe("Preempted in order to admit critical pod");
    expect(disrupted(victim as Whole)).toMatchObject({ status: "True", reason: "TerminationByKubelet" });
    const name = names[all.indexOf(victim as Whole)] ?? "";
    await until("an event tells of it", async () => (await reasons(name)).includes("Preempting"), 60);
    expect(all.filter(({ status }) => status.phase === "Running")).toHaveLength(MAX_PODS - 1);
  }, 300_000);

  test("an unhealthy device reduces what the node can give, and is in the pod's status; it is healthy again there", async () => {
    const folder = path.join(node.rootDir, "device-plugins");
    mkdirSync(folder, { recursive: true, mode: 0o750 });
    plugin = new PluginProcess(process.execPath, [demo, "--folder", folder, "--device", "a", "--device", "b"]);
    await plugin.says(`registered ${NULL}`);
    const allocatable = (count: string): Promise<void> =>
      until(`the node has ${count}`, async () => (await there()).status.allocatable[NULL] === count, 60);
    const health = async (): Promise<string> => {
      const [status] = (await whole("user")).status.containerStatuses?.[0]?.allocatedResourcesStatus ?? [];
      return `${status?.name} ${status?.resources.map(({ resourceID, health: is }) => `${resourceID} ${is}`).join(", ")}`;
    };
    await allocatable("2");
    // By the scheduler: no other node has any.
    await place.apply(pod("user", { resources: { limits: { [NULL]: "1" } } }));
    await place.ready("app=user", 1);
    const [before] = (await whole("user")).status.containerStatuses ?? [];
    expect(await health()).toMatch(/^demo\.hooklet\.dev\/null [ab] Healthy$/);
    const [, id] = (await health()).split(" ");
    plugin.type(`${id} Unhealthy`);
    const began = Date.now();
    await allocatable("1");
    await until("the pod's status says so", async () => (await health()) === `${NULL} ${id} Unhealthy`, 60);
    say(`both told ${Date.now() - began} ms after the device fell ill`);
    plugin.type(`${id} Healthy`);
    await allocatable("2");
    await until("the pod's status says so", async () => (await health()) === `${NULL} ${id} Healthy`, 60);
    const [after] = (await whole("user")).status.containerStatuses ?? [];
    expect([after?.containerID, after?.restartCount]).toEqual([before?.containerID, 0]);
    plugin.kill();
    await allocatable("0");
  }, 300_000);

  test("a resize through the subresource is done in place; one that does not fit now is Deferred until it does", async () => {
    const resources = { requests: { cpu: "50m", memory: "32Mi" }, limits: { cpu: "100m", memory: "64Mi" } };
    await place.apply(pod("grows", { resources }, { nodeName: node.name }));
    await place.ready("app=grows", 1);
    const [before] = (await whole("grows")).status.containerStatuses ?? [];
    const resize = (cpu: string): Promise<string> => {
      const containers = [{ name: "main", resources: { requests: { cpu }, limits: { cpu } } }];
      const patch = JSON.stringify({ spec: { containers } });
      return place.kubectl("patch", "pod", "grows", "--subresource=resize", "-p", patch);
    };
    await resize("200m");
    const limit = async (): Promise<string | undefined> =>
      (await whole("grows")).status.containerStatuses?.[0]?.resources?.limits?.cpu;
    await until("it has 200m", async () => (await limit()) === "200m", 60);
    const [after] = (await whole("grows")).status.containerStatuses ?? [];
    expect([after?.containerID, after?.restartCount]).toEqual([before?.containerID, 0]);
    const { cpu = "" } = (await there()).status.allocatable;
    const all = cpu.endsWith("m") ? Number.parseInt(cpu, 10) : Number(cpu) * 1000;
    await place.apply(pod("neighbour", { resources: { requests: { cpu: `${all - 300}m` } } }, { nodeName: node.name }));
    await place.ready("app=neighbour", 1);
    await resize("500m");
    const pending = async (): Promise<string | undefined> =>
      (await whole("grows")).status.conditions.find(({ type }) => type === "PodResizePending")?.reason;
    await until("it has no room now", async () => (await pending()) === "Deferred", 60);
    expect(await limit()).toBe("200m");
    await place.kubectl("delete", "pod", "neighbour", "--timeout=60s");
    await until("it has 500m", async () => (await limit()) === "500m" && (await pending()) === undefined, 90);
    const [last] = (await whole("grows")).status.containerStatuses ?? [];
    expect([last?.containerID, last?.restartCount]).toEqual([before?.containerID, 0]);
  }, 240_000);
});
