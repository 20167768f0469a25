import { readFileSync } from "node:fs";
import type { Pod } from "@hooklet/manifest";
import { describe, expect, test } from "@jest/globals";
import type { PodsPort } from "../../../src/plugin/contract.js";
import type { LoadedPlugin } from "../../../src/plugin/loaded.js";
import { TestNode } from "../../agent/node.js";
import { plugin } from "../contract/plugin.js";

/** What a kubelet 1.33 was given and showed on a node `node1`. */
const golden = (name: string): string => readFileSync(new URL(`../../golden/${name}`, import.meta.url), "utf8");
const manifests = JSON.parse(golden("manifests.json")) as Pod[];
const recorded = JSON.parse(golden("pods.json")) as { items: Pod[] };

const IMAGE = "sha256:0a2de4f23ae12a749a9403a4e77cae744388fcde07508518ed016831746055cf";

async function node(...plugins: readonly LoadedPlugin[]): Promise<TestNode> {
  const here = new TestNode({ plugins, node: { capacity: { cpu: "2", memory: "4Gi" } } });
  here.runtime.addImage({ id: IMAGE, names: ["hk.local/busybox:1"], size: 1 });
  await here.start();
  for (const manifest of manifests) await here.manifest(`${manifest.metadata.name}.json`, JSON.stringify(manifest));
  await here.clock.advance(1000);
  return here;
}

/** Ids, times and addresses differ from run to run; `null` times and absent ones are the same in JSON of Go and ours. */
function comparable(pod: Pod): unknown {
  return JSON.parse(
    JSON.stringify({ metadata: pod.metadata, spec: pod.spec, status: pod.status }, (key, value: unknown) => {
      if (["uid", "kubernetes.io/config.hash", "kubernetes.io/config.seen"].includes(key)) return "<uid or time>";
      if (["lastTransitionTime", "startTime", "startedAt"].includes(key)) return "<time>";
      if (key === "podIP" || key === "ip") return "<address>";
      if (key === "containerID") return "<id>";
      return key === "creationTimestamp" ? undefined : value;
    }),
  );
}

describe("statuses as a kubelet 1.33 shows them", () => {
  test.each(recorded.items.map((pod) => ({ name: pod.metadata.name, pod })))("$name", async ({ name, pod }) => {
    let pods: PodsPort | undefined;
    const here = await node(
      plugin("looker", (ctx) => {
        pods = ctx.pods;
      }),
    );
    // As the agent holds it: what readers are shown has the node's address too.
    const held = pods?.get(here.pod(name).metadata.uid);
    expect(comparable(held as Pod)).toEqual(comparable(pod));
  });

  test("events as a kubelet 1.33 records them", async () => {
    const here = await node();
    const words = golden("events.txt")
      .split("\n")
      .filter((line) => line.startsWith("spec.containers"))
      .map((line) => line.split(" | ").map((word) => word.trim()));
    const reported = here.agent.api
      .events()
      .map(({ involvedObject, type, reason, message }) => [involvedObject.fieldPath, type, reason, message]);
    expect(words.length).toBeGreaterThan(0);
    for (const event of words) expect(reported).toContainEqual(event);
  });

  test("in a cluster without a cluster DNS each pod gets the kubelet's warning", async () => {
    const cluster = plugin("cluster", (ctx) =>
      ctx.provide.reviews({
        reviewToken: async () => ({ authenticated: false }) as never,
        reviewAccess: async () => ({ allowed: false }) as never,
      }),
    );
    const here = new TestNode({ plugins: [cluster], node: { clusterDNS: [] } });
    here.runtime.addImage({ id: IMAGE, names: ["hk.local/busybox:1"], size: 1 });
    await here.start();
    await here.manifest("g.json", JSON.stringify(manifests[0]));
    const { uid } = here.pod("guaranteed").metadata;
    expect(here.events()).toContain(
      `MissingClusterDNS: pod: "guaranteed-node1_default(${uid})". kubelet does not have ClusterDNS IP configured and cannot create Pod using "ClusterFirst" policy. Falling back to "Default" policy.`,
    );
  });
});

test("without a cluster nothing is missing: the node warns once that there is no cluster DNS, and no pod has a warning", async () => {
  const here = new TestNode({ node: { clusterDNS: [] } });
  here.runtime.addImage({ id: IMAGE, names: ["hk.local/busybox:1"], size: 1 });
  await here.start();
  for (const [index, manifest] of manifests.entries()) await here.manifest(`${index}.json`, JSON.stringify(manifest));
  await here.clock.advance(1000);
  const reported = here.agent.api.events().filter(({ reason }) => reason === "MissingClusterDNS");
  expect(reported).toMatchObject([{ type: "Normal", count: 1, involvedObject: { kind: "Node" } }]);
});

interface GoldenMetric {
  readonly name: string;
  readonly type: string;
  readonly labels: string;
}

test("metrics of core have the kubelet's names, types and labels", async () => {
  const here = await node();
  const text = (await here.agent.api.metrics("/metrics"))?.body ?? "";
  const kubelets = new Map(
    golden("metrics.txt")
      .split("\n")
      .map((line) => /^(?<name>\w+) (?<type>\w+) \{(?<labels>.*)\}$/.exec(line)?.groups as GoldenMetric | undefined)
      .filter((metric) => metric !== undefined)
      .map((metric) => [metric.name, metric]),
  );
  const ours = [...text.matchAll(/^# TYPE (kubelet_\w+) (\w+)$/gm)].map(([, name = "", type = ""]) => ({ name, type }));
  expect(ours.length).toBeGreaterThan(20);
  for (const { name, type } of ours) {
    const kubelet = kubelets.get(name);
    // The recording has only metrics that had moved by then.
    if (kubelet !== undefined) expect({ name, type }).toEqual({ name, type: kubelet.type });
  }
  expect(ours.map(({ name }) => name)).toEqual(
    expect.arrayContaining([
      "kubelet_running_pods",
      "kubelet_running_containers",
      "kubelet_desired_pods",
      "kubelet_active_pods",
      "kubelet_working_pods",
      "kubelet_started_pods_total",
      "kubelet_started_containers_total",
      "kubelet_runtime_operations_total",
      "kubelet_pod_start_duration_seconds",
      "kubelet_node_name",
    ]),
  );
});
