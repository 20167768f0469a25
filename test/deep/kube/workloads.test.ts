/** What other controllers make of pods: Job, DaemonSet, StatefulSet. */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { until } from "../../support/agent.js";
import { Place, podTemplate } from "./cluster.js";
import { HookletNode } from "./nodes.js";

describe("workloads", () => {
  let node: HookletNode;
  let place: Place;

  beforeAll(async () => {
    node = await HookletNode.create("worker1");
    await node.start();
    place = await Place.create("workloads");
  });

  afterAll(async () => {
    await place?.remove().finally(() => node?.remove());
  }, 240_000);

  test("a Job completes five times, two at once, and its logs stay readable", async () => {
    const template = podTemplate("sums", { command: ["sh", "-c", "echo $((6 * 7))"] }, { restartPolicy: "Never" });
    await place.apply({
      apiVersion: "batch/v1",
      kind: "Job",
      metadata: { name: "sums" },
      spec: { completions: 5, parallelism: 2, template },
    });
    await place.kubectl("wait", "--for=condition=Complete", "job/sums", "--timeout=60s");
    const pods = await place.pods("app=sums");
    expect(pods.map(({ status }) => status.phase)).toEqual(Array(5).fill("Succeeded"));
    expect(await place.kubectl("logs", "job/sums")).toBe("42\n");
  }, 90_000);

  test("a Job whose pods fail ends as Failed after its back-off limit", async () => {
    const template = podTemplate("fails", { command: ["sh", "-c", "exit 3"] }, { restartPolicy: "Never" });
    const spec = { backoffLimit: 0, template };
    await place.apply({ apiVersion: "batch/v1", kind: "Job", metadata: { name: "fails" }, spec });
    await place.kubectl("wait", "--for=condition=Failed", "job/fails", "--timeout=60s");
    const [pod] = await place.pods("app=fails");
    expect(pod?.status.phase).toBe("Failed");
  }, 90_000);

  test("a DaemonSet has one pod on the node, and another one when that is deleted", async () => {
    const template = podTemplate("agent");
    const spec = { selector: { matchLabels: { app: "agent" } }, template };
    await place.apply({ apiVersion: "apps/v1", kind: "DaemonSet", metadata: { name: "agent" }, spec });
    await place.kubectl("rollout", "status", "daemonset/agent", "--timeout=60s");
    const [first] = await place.pods("app=agent");
    expect(first?.spec.nodeName).toBe("worker1");
    await place.kubectl("delete", "pod", first?.metadata.name ?? "", "--wait");
    await place.ready("app=agent", 1);
    const [second] = await place.pods("app=agent");
    expect(second?.metadata.uid).not.toBe(first?.metadata.uid);
  }, 90_000);

  test("a StatefulSet starts its pods in order, and a deleted one comes back under its name", async () => {
    const spec = {
      replicas: 3,
      serviceName: "db",
      selector: { matchLabels: { app: "db" } },
      template: podTemplate("db"),
    };
    await place.apply({ apiVersion: "apps/v1", kind: "StatefulSet", metadata: { name: "db" }, spec });
    await place.kubectl("rollout", "status", "statefulset/db", "--timeout=90s");
    const started = (await place.pods("app=db")).map(({ metadata, status }) => [status.startTime, metadata.name]);
    expect(started.sort().map(([, name]) => name)).toEqual(["db-0", "db-1", "db-2"]);
    const before = await place.pod("db-1");
    await place.kubectl("delete", "pod", "db-1", "--wait");
    await until("db-1 is back", async () => {
      const now = await place.pod("db-1");
      return now !== undefined && now.metadata.uid !== before?.metadata.uid && now.status.phase === "Running";
    });
    expect(await place.kubectl("exec", "db-1", "--", "hostname")).toBe("db-1\n");
  }, 150_000);
});
