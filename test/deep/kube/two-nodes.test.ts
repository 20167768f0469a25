/** A kubelet's node and a hooklet's node side by side in one cluster. */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { until } from "../../support/agent.js";
import { deployment, kubectl, Place, pod, podTemplate, there } from "./cluster.js";
import { HookletNode, KubeletNode } from "./nodes.js";

/** As many here as there. */
const spread = {
  topologySpreadConstraints: [
    {
      maxSkew: 1,
      topologyKey: "kubernetes.io/hostname",
      whenUnsatisfiable: "ScheduleAnyway",
      labelSelector: { matchLabels: { app: "web" } },
    },
  ],
};

const story = there.kubelet === undefined ? describe.skip : describe;

story("a kubelet's node and a hooklet's node", () => {
  const hooklet = "worker1";
  const kubelet = "worker2";
  let nodes: readonly (HookletNode | KubeletNode)[] = [];
  let place: Place;

  beforeAll(async () => {
    nodes = [await HookletNode.create(hooklet), await KubeletNode.create(kubelet)];
    for (const node of nodes) await node.start();
    place = await Place.create("pair");
  }, 120_000);

  afterAll(async () => {
    await place?.remove();
    for (const node of nodes) await node.remove();
  }, 240_000);

  const on = async (node: string): Promise<number> =>
    (await place.pods("app=web")).filter(
      ({ spec, metadata }) => spec.nodeName === node && metadata.deletionTimestamp === undefined,
    ).length;

  test("the scheduler spreads a Deployment over both", async () => {
    await place.apply(deployment("web", 6, podTemplate("web", {}, spread)));
    await place.ready("app=web", 6);
    expect([await on(hooklet), await on(kubelet)]).toEqual([3, 3]);
  }, 90_000);

  test("pods move to the kubelet when hooklet's node is drained, and back", async () => {
    await kubectl("drain", hooklet, "--ignore-daemonsets", "--timeout=60s");
    await place.ready("app=web", 6);
    expect([await on(hooklet), await on(kubelet)]).toEqual([0, 6]);
    await kubectl("uncordon", hooklet);
    await kubectl("drain", kubelet, "--ignore-daemonsets", "--timeout=60s");
    await place.ready("app=web", 6);
    expect([await on(hooklet), await on(kubelet)]).toEqual([6, 0]);
    await kubectl("uncordon", kubelet);
  }, 180_000);

  test("both Nodes have the same fields", async () => {
    const read = async (name: string): Promise<NodeObject> =>
      JSON.parse(await kubectl("get", "node", name, "-o", "json"));
    const [ours, theirs] = [await read(hooklet), await read(kubelet)];
    const shape = ({ metadata, status }: NodeObject) => ({
      labels: Object.keys(metadata.labels).sort(),
      annotations: Object.keys(metadata.annotations).sort(),
      status: Object.keys(status)
        .filter((key) => !OPTIONAL.has(key))
        .sort(),
      conditions: status.conditions.map(({ type, status: is, reason, message }) => [type, is, reason, message]),
      nodeInfo: Object.keys(status.nodeInfo).sort(),
      versions: [status.nodeInfo.kubeletVersion, status.nodeInfo.containerRuntimeVersion, status.nodeInfo.bootID],
      capacity: status.capacity,
      allocatable: Object.keys(status.allocatable).sort(),
    });
    expect(shape(ours)).toEqual(shape(theirs));
  });

  test("a pod shows the same on both, but for what is its own", async () => {
    const readinessProbe = { exec: { command: ["true"] } };
    const bound = (name: string, node: string): object =>
      pod(name, { image: ONE_NAME, readinessProbe }, { nodeSelector: { "kubernetes.io/hostname": node } });
    await place.apply(bound("a", hooklet), bound("b", kubelet));
    await place.kubectl("wait", "--for=condition=Ready", "pod/a", "pod/b", "--timeout=60s");
    const shown = async (name: string): Promise<unknown> => {
      const { status } = JSON.parse(await place.kubectl("get", "pod", name, "-o", "json")) as {
        status: Readonly<Record<string, unknown>>;
      };
      // Of a pod without resources of its own a kubelet shows what its cgroup says: an empty object, or cgroup v1's number for no limit.
      const { resources: _, ...rest } = status;
      return blank(rest);
    };
    await until("both show the same", async () => {
      return JSON.stringify(sorted(await shown("a"))) === JSON.stringify(sorted(await shown("b")));
    }).catch(async () => expect(await shown("a")).toEqual(await shown("b")));
    expect(await place.kubectl("get", "pod", "a", "-o", "jsonpath={.status.resources}")).toBe("");
  }, 90_000);
});

/**
 * Not compared: what is there only when there is something to tell; the handlers of containerd's configuration, of which a kubelet
 * on containerd 1.6 does not know; and declared features, of which hooklet claims none.
 */
const OPTIONAL = new Set(["volumesInUse", "volumesAttached", "runtimeHandlers", "declaredFeatures"]);
/** An image of one name: of several, containerd shows any. */
const ONE_NAME = "hooklet.test/user:name";

interface NodeObject {
  readonly metadata: {
    readonly labels: Readonly<Record<string, string>>;
    readonly annotations: Readonly<Record<string, string>>;
  };
  readonly status: {
    readonly conditions: readonly { type: string; status: string; reason: string; message: string }[];
    readonly nodeInfo: Readonly<Record<string, unknown>>;
    readonly capacity: Readonly<Record<string, string>>;
    readonly allocatable: Readonly<Record<string, string>>;
  };
}

/** Addresses, times and ids differ; that they are there does not. */
function blank(value: unknown, key = ""): unknown {
  if (Array.isArray(value)) return value.map((one) => blank(one, key));
  if (typeof value === "object" && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, blank(one, name)]));
  return /(IP|ip|Time|At|ID)s?$/.test(key) ? `<${key}>` : value;
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted).sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort()
      .map(([key, one]) => [key, sorted(one)]),
  );
}
