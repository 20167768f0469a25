/** Labels of the node that the scheduler saw and the agent's watch has not brought yet, in virtual time. */

import { sleep } from "@hooklet/core";
import { aContainer, startTestAgent, type TestAgent } from "@hooklet/testkit";
import { beforeEach, expect, test } from "@jest/globals";
import { ApiError } from "../../../src/client/api-error.js";
import type { RequestOptions } from "../../../src/client/client.js";
import type { KubeClients } from "../../../src/kube-clients.js";
import { createKubePlugin } from "../../../src/plugin.js";
import { FakeCluster } from "../../fake-cluster.js";

let cluster: FakeCluster;
let agent: TestAgent;
/** The server takes the request and never answers. */
let isSilent: boolean;
/** Of the Node, by the client that is there for it. */
let looks: number;

/** `looks` takes part in no other client's requests. */
function clients(options: unknown, { clock }: Parameters<typeof cluster.clients>[1]): KubeClients {
  const all = cluster.clients(options, { clock });
  const get = async <T>(path: string, { signal, timeout = 30_000 }: RequestOptions = {}): Promise<T> => {
    if (path === node()?.[0]) {
      looks += 1;
      if (isSilent) {
        await sleep(clock, timeout, signal);
        throw new ApiError(0, "Timeout", "nobody answers");
      }
    }
    return all.looks.get(path);
  };
  return { ...all, looks: { ...all.looks, get } };
}

beforeEach(async () => {
  [cluster, isSilent, looks] = [new FakeCluster(), false, 0];
  const plugin = createKubePlugin({ random: () => 0.5, clients });
  agent = await startTestAgent({ plugins: [[plugin, { kubeconfig: "/unused" }]] });
  await agent.waitFor(() => node() !== undefined, 60_000);
});

const node = () => [...cluster.objects].find(([key]) => key.startsWith("/api/v1/nodes/"));
const spec = { nodeSelector: { disk: "fast" }, containers: [aContainer({ name: "main", image: "web:1" })] };
const phase = (name: string) => (cluster.pod(name)?.status as { phase?: string } | undefined)?.phase;
const restarts = (name: string) =>
  (cluster.pod(name)?.status as { containerStatuses?: { restartCount: number }[] } | undefined)?.containerStatuses?.[0]
    ?.restartCount ?? 0;
const recorded = () => agent.log.filter(({ msg }) => msg?.startsWith("node that a pod asks for")).length;

/** No watcher is notified. */
function label(disk = "fast"): void {
  const [key, stored] = node() ?? [];
  if (key === undefined || stored === undefined) throw new Error("there is no node");
  const labels = { ...(stored.metadata.labels as object), disk };
  cluster.objects.set(key, { ...stored, metadata: { ...stored.metadata, labels } });
}

test("a pod that needs a label not seen yet is admitted: the node is read again, not over the heartbeat's connection", async () => {
  label();
  cluster.addPod("web", spec);
  await agent.waitFor(() => phase("web") === "Running", 60_000);
  expect(looks).toBe(1);
});

test("a pod that the node's labels keep out then as well is refused", async () => {
  cluster.addPod("web", spec);
  await agent.waitFor(() => phase("web") === "Failed", 60_000);
  expect([cluster.pod("web")?.status, looks]).toEqual([expect.objectContaining({ reason: "NodeAffinity" }), 1]);
});

const main = aContainer({ name: "main", image: "web:1" });
const sysctls = [{ name: "kernel.msgmax", value: "1" }];
test.each([
  {
    name: "the processors that it asks for",
    more: { containers: [aContainer({ name: "main", image: "web:1", requests: { cpu: "1000" } })] },
    reason: "OutOfcpu",
  },
  { name: "its operating system", more: { os: { name: "windows" } }, reason: "PodOSNotSupported" },
  { name: "a sysctl", more: { securityContext: { sysctls } }, reason: "SysctlForbidden" },
])("a pod that $name keeps out as well is rejected without another read", async ({ more, reason }) => {
  cluster.addPod("web", { ...spec, containers: [main], ...more });
  await agent.waitFor(() => phase("web") === "Failed", 60_000);
  expect([cluster.pod("web")?.status, looks]).toEqual([expect.objectContaining({ reason }), 0]);
});

test("a silent server delays the admission of all pods by one read, not by one for each pod; reported once", async () => {
  isSilent = true;
  const names = Array.from({ length: 20 }, (_, at) => `web-${at}`);
  for (const name of names) cluster.addPod(name, spec);
  cluster.addPod("other", { containers: [main] });
  const began = agent.clock.monotonic();
  await agent.waitFor(() => phase("other") === "Running", 60_000);
  expect(agent.clock.monotonic() - began).toBeLessThan(4_000);
  await agent.waitFor(() => names.every((name) => phase(name) === "Failed"), 60_000);
  expect([looks, recorded()]).toEqual([1, 1]);
  await agent.advance(10_000);
  isSilent = false;
  label();
  cluster.addPod("late", spec);
  await agent.waitFor(() => phase("late") === "Running", 60_000);
});

test("a pod that is deleted during the read is no failure", async () => {
  isSilent = true;
  cluster.addPod("web", spec);
  await agent.waitFor(() => looks === 1, 60_000);
  cluster.remove("/api/v1/namespaces/default/pods", "web");
  await agent.advance(10_000);
  expect(recorded()).toBe(0);
  label();
  isSilent = false;
  cluster.addPod("next", spec);
  await agent.waitFor(() => phase("next") === "Running", 60_000);
});

test("a pod that ran before a restart is not checked for its labels, though it waits to be started again: no read", async () => {
  label();
  agent.runtime.script({ container: "main" }, (process) => process.after(1_000, () => process.exit(3)));
  cluster.addPod("web", spec);
  await agent.waitFor(() => restarts("web") >= 1, 60_000);
  await agent.advance(2_000);
  await agent.restart(() => label("slow"));
  const [before, count] = [looks, restarts("web")];
  await agent.waitFor(() => restarts("web") > count, 120_000);
  expect({ phase: phase("web"), looks: looks - before }).toEqual({ phase: "Running", looks: 0 });
});
