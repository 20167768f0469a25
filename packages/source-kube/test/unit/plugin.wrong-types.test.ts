/** Pods of the API whose fields are of other types than its own: each costs itself alone, in virtual time. */
import { aContainer, startTestAgent, type TestAgent } from "@hooklet/testkit";
import { beforeEach, expect, test } from "@jest/globals";
import { createKubePlugin } from "../../src/plugin.js";
import { FakeCluster } from "../fake-cluster.js";

const PODS = "/api/v1/namespaces/default/pods";

let cluster: FakeCluster;
let agent: TestAgent;

const start = async (): Promise<void> => {
  const plugin = createKubePlugin({ random: () => 0.5, clients: cluster.clients });
  agent = await startTestAgent({ plugins: [[plugin, { kubeconfig: "/unused" }]] });
};

beforeEach(() => {
  cluster = new FakeCluster();
});

const phase = (name: string) => (cluster.pod(name)?.status as { phase?: string } | undefined)?.phase;
const good = (name: string) => cluster.addPod(name, { containers: [aContainer({ name: "main", image: "web:1" })] });
const containers = [aContainer({ name: "main", image: "web:1" })];

const wrong: readonly { readonly name: string; readonly object: object }[] = [
  { name: "no spec", object: { spec: null } },
  { name: "containers that are a text", object: { spec: { containers: "main" } } },
  { name: "a container that is null", object: { spec: { containers: [null] } } },
  {
    name: "a container whose fields are numbers",
    object: { spec: { containers: [{ name: 1, image: 2, command: 3, env: 4, ports: 5 }] } },
  },
  { name: "volumes that are no list", object: { spec: { containers, volumes: { name: "x" } } } },
  { name: "a volume that is null", object: { spec: { containers, volumes: [null] } } },
  { name: "env that is a number", object: { spec: { containers: [{ ...containers[0], env: 5 }] } } },
  { name: "pull secrets that are null", object: { spec: { containers, imagePullSecrets: [null] } } },
  { name: "gates that are a text", object: { spec: { containers, readinessGates: "x" } } },
  { name: "a grace period that is a text", object: { spec: { containers, terminationGracePeriodSeconds: "soon" } } },
  {
    name: "resources that are a list",
    object: { spec: { containers: [{ ...containers[0], resources: [{ requests: 1 }] }] } },
  },
  {
    name: "a node selector that is a number, tolerations that are null",
    object: { spec: { containers, nodeSelector: 5, tolerations: [null] } },
  },
  {
    name: "affinity without lists",
    object: {
      spec: {
        containers,
        affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: 5 } } },
      },
    },
  },
  { name: "a uid that is a number", object: { metadata: { uid: 7 }, spec: { containers } } },
  { name: "no namespace", object: { metadata: { namespace: null }, spec: { containers } } },
  { name: "labels that are a text", object: { metadata: { labels: "x", annotations: ["y"] }, spec: { containers } } },
  { name: "a status that is a text", object: { spec: { containers }, status: "Running" } },
  {
    name: "a status of nulls",
    object: { spec: { containers }, status: { conditions: [null], containerStatuses: [null], phase: 3 } },
  },
];

function put(name: string, { metadata = {}, ...object }: { readonly metadata?: object }): void {
  const spec = "spec" in object && object.spec !== null ? { nodeName: "node1", ...(object.spec as object) } : null;
  cluster.put(PODS, { ...object, metadata: { name, namespace: "default", ...metadata }, spec } as never);
}

test.each(wrong)("$name, in the whole list and in a change", async ({ object }) => {
  good("a");
  put("bad", object);
  good("b");
  cluster.addPod("follows", { containers, volumes: [{ name: "config", configMap: { name: "config" } }] });
  await start();
  await agent.waitFor(() => phase("a") === "Running" && phase("b") === "Running", 60_000);
  put("worse", object);
  good("c");
  await agent.waitFor(() => phase("c") === "Running", 60_000);
  cluster.askToGo("a", 1);
  await agent.waitFor(() => cluster.pod("a") === undefined, 60_000);
  expect(phase("b")).toBe("Running");
  // Each pod behind it is known whole: what its volumes show is followed.
  expect(cluster.asked.filter((path) => path.includes("configmaps"))).not.toEqual([]);
});
