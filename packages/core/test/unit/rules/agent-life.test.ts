import { describe, expect, test } from "@jest/globals";
import { TestNode } from "../../agent/node.js";

interface Parts {
  readonly containers?: string;
  readonly spec?: string;
}

const manifest = (name: string, { containers = "[{ name: main, image: 'app:1' }]", spec = "" }: Parts = {}): string => `
apiVersion: v1
kind: Pod
metadata: { name: ${name} }
spec:
  containers: ${containers}
  ${spec}
`;

async function node(): Promise<TestNode> {
  const made = new TestNode();
  made.runtime.addImage({ id: "sha256:app", names: ["app:1"], size: 1 });
  return made.start();
}

/** The manifest of pod `web` went away a second ago; its container takes three to end. */
async function stopping(): Promise<TestNode> {
  const here = await node();
  here.runtime.script({ container: "main" }, (process) =>
    process.onTerm(() => process.after(3000, () => process.exit(0))),
  );
  await here.manifest("web.yaml", manifest("web"));
  await here.clock.advance(1000);
  await here.manifest("web.yaml", undefined);
  await here.clock.advance(1000);
  return here;
}

/** What a container's state says in one line. */
function stateOf(
  here: TestNode,
  pod: string,
  index = 0,
  kind: "containerStatuses" | "initContainerStatuses" = "containerStatuses",
): string {
  const status = here.status(pod)[kind]?.[index];
  const { running, waiting, terminated } = status?.state ?? {};
  const word = running
    ? "running"
    : waiting
      ? `waiting ${waiting.reason}`
      : `terminated ${terminated?.reason} ${terminated?.exitCode}`;
  return `${word}, restarts ${status?.restartCount}`;
}

describe("the life of a pod", () => {
  test("a manifest becomes a running, ready pod, with the kubelet's events", async () => {
    const here = await node();
    await here.manifest("web.yaml", manifest("web"));
    await here.clock.advance(1000);
    expect(here.status("web").phase).toBe("Running");
    expect(here.events()).toEqual([
      'Pulled: Container image "app:1" already present on machine',
      "Created: Created container: main",
      "Started: Started container main",
    ]);
  });

  test("a container that crashes is started at once, then after 10 s, 20 s, 40 s, and shows CrashLoopBackOff while it waits", async () => {
    const here = await node();
    here.runtime.script({ container: "main" }, (process) => process.exit(1));
    await here.manifest("crash.yaml", manifest("crash"));
    await here.clock.advance(9_000);
    expect(stateOf(here, "crash")).toBe("waiting CrashLoopBackOff, restarts 1");
    const { uid } = here.pod("crash").metadata;
    const where = `crash-node1_default(${uid})`;
    expect(here.status("crash").containerStatuses?.[0]?.state?.waiting?.message).toBe(
      `back-off 10s restarting failed container=main pod=${where}`,
    );
    expect(here.events()).toContain(`BackOff: Back-off restarting failed container main in pod ${where}`);
    expect(here.status("crash").phase).toBe("Running");
    const restarts: number[] = [];
    for (const seconds of [2, 18, 2, 38, 3]) {
      await here.clock.advance(seconds * 1000);
      restarts.push(here.status("crash").containerStatuses?.[0]?.restartCount ?? -1);
    }
    expect(restarts).toEqual([2, 2, 3, 3, 4]);
  });

  test("a container that crashes at once is reported as Started before its back-off is", async () => {
    const here = await node();
    here.runtime.script({ container: "main" }, (process) => process.exit(1));
    await here.manifest("web.yaml", manifest("web"));
    await here.clock.advance(5_000);
    expect(here.events().map((event) => event.split(":")[0])).toEqual(["Pulled", "Created", "Started", "BackOff"]);
  });

  test("dead containers of a running pod are left to garbage collection", async () => {
    const here = await node();
    here.runtime.script({ container: "main" }, (process) => process.after(5_000, () => process.exit(1)));
    await here.manifest("crash.yaml", manifest("crash"));
    await here.clock.advance(23_000);
    expect(stateOf(here, "crash")).toBe("running, restarts 2");
    const attempts = (await here.runtime.listContainers()).map(({ metadata }) => metadata.attempt);
    expect([...attempts].sort()).toEqual([0, 1, 2]);
  });

  test("a sidecar is stopped once the job it serves is done", async () => {
    const here = await node();
    here.runtime.script({ container: "main" }, (process) => process.after(1000, () => process.exit(0)));
    const spec = "restartPolicy: Never\n  initContainers: [{ name: proxy, image: 'app:1', restartPolicy: Always }]";
    await here.manifest("job.yaml", manifest("job", { spec }));
    await here.clock.advance(500);
    expect(here.runtime.running("job-node1")).toEqual(["proxy", "main"]);
    await here.clock.advance(60_000);
    expect(here.runtime.running("job-node1")).toEqual([]);
    expect(here.status("job").phase).toBe("Succeeded");
  });

  test("a pod that goes stops its main containers first, then its sidecars from the last to the first, each once", async () => {
    const here = await node();
    const stopped: string[] = [];
    for (const container of ["main", "one", "two"])
      here.runtime.script({ container }, (process) =>
        process.onTerm(() => {
          stopped.push(container);
          process.after(200, () => process.exit(0));
        }),
      );
    const sidecars = ["one", "two"].map((name) => `{ name: ${name}, image: 'app:1', restartPolicy: Always }`);
    await here.manifest("web.yaml", manifest("web", { spec: `initContainers: [${sidecars}]` }));
    await here.clock.advance(2000);
    const asked: string[] = [];
    const stop = here.runtime.stopContainer.bind(here.runtime);
    here.runtime.stopContainer = (id, seconds) => {
      asked.push(id);
      return stop(id, seconds);
    };
    await here.manifest("web.yaml", undefined);
    await here.clock.advance(60_000);
    expect(stopped).toEqual(["main", "two", "one"]);
    expect(asked).toHaveLength(3);
  });

  test("a manifest that goes away stops its pod, which stays listed with a deletionTimestamp until it is gone", async () => {
    const here = await stopping();
    expect(here.pod("web").metadata.deletionTimestamp).toBe("2026-01-01T00:00:31Z");
    expect(here.events()).toContain("Killing: Stopping container main");
    await here.clock.advance(5000);
    expect(here.agent.api.pods()).toEqual([]);
    expect(await here.runtime.listSandboxes()).toEqual([]);
  });

  test("a container that ignores TERM is killed when its grace period is over", async () => {
    const here = await node();
    here.runtime.script({ container: "main" }, (process) => process.onTerm(() => {}));
    await here.manifest("web.yaml", manifest("web", { spec: "terminationGracePeriodSeconds: 7" }));
    await here.clock.advance(1000);
    await here.manifest("web.yaml", undefined);
    await here.clock.advance(6_900);
    expect(here.runtime.running("web-node1")).toEqual(["main"]);
    await here.clock.advance(200);
    expect(here.agent.api.pods()).toEqual([]);
  });

  test("a grace period that runs may be shortened, not prolonged", async () => {
    const here = await node();
    here.runtime.script({ container: "main" }, (process) => process.onTerm(() => {}));
    await here.manifest("web.yaml", manifest("web", { spec: "terminationGracePeriodSeconds: 60" }));
    await here.clock.advance(1000);
    await here.manifest("web.yaml", undefined);
    await here.clock.advance(5_000);
    const ended = Promise.all([here.agent.shutdown(300), here.agent.shutdown(3)]);
    await here.clock.advance(100);
    expect(here.pod("web").metadata.deletionGracePeriodSeconds).toBe(3);
    await here.clock.advance(2_800);
    expect(here.runtime.running("web-node1")).toEqual(["main"]);
    await here.clock.advance(200);
    expect(here.agent.api.pods()).toEqual([]);
    await ended;
  });

  test("a changed manifest stops the old pod before the new one starts under the same name", async () => {
    const here = await node();
    await here.manifest("web.yaml", manifest("web"));
    await here.clock.advance(1000);
    const { uid } = here.pod("web").metadata;
    here.runtime.delay("stopContainer", 2000);
    await here.manifest("web.yaml", manifest("web", { spec: "terminationGracePeriodSeconds: 5" }));
    await here.clock.advance(1000);
    expect(here.pod("web").metadata).toMatchObject({ uid, deletionTimestamp: expect.any(String) });
    expect(here.agent.api.pods()).toHaveLength(1);
    await here.clock.advance(5000);
    expect(here.pod("web").metadata.uid).not.toBe(uid);
    expect(stateOf(here, "web")).toBe("running, restarts 0");
  });

  test("a changed manifest that keeps its own uid restarts the pod as well", async () => {
    const here = await node();
    const own = (image: string): string =>
      JSON.stringify({
        kind: "Pod",
        apiVersion: "v1",
        metadata: { name: "web", uid: "my-own" },
        spec: { containers: [{ name: "main", image }] },
      });
    here.runtime.addImage({ id: "sha256:other", names: ["other:1"], size: 1 });
    await here.manifest("web.json", own("app:1"));
    await here.clock.advance(1000);
    await here.manifest("web.json", own("other:1"));
    await here.clock.advance(40_000);
    expect(here.pod("web").metadata.deletionTimestamp).toBeUndefined();
    expect(here.status("web").containerStatuses?.[0]).toMatchObject({ image: "other:1", ready: true, restartCount: 0 });
  });

  test("a manifest that keeps its own uid under another name starts once the old pod is gone", async () => {
    const here = await node();
    const own = (name: string): string =>
      JSON.stringify({
        kind: "Pod",
        apiVersion: "v1",
        metadata: { name, uid: "my-own" },
        spec: { containers: [{ name: "main", image: "app:1" }] },
      });
    here.runtime.delay("stopContainer", 3000);
    await here.manifest("web.json", own("web"));
    await here.clock.advance(1000);
    await here.manifest("web.json", own("site"));
    await here.clock.advance(10_000);
    expect(here.agent.api.pods().map(({ metadata }) => metadata.name)).toEqual(["site-node1"]);
    expect(stateOf(here, "site")).toBe("running, restarts 0");
  });

  test("a manifest that comes back while its pod is being stopped starts it again", async () => {
    const here = await stopping();
    await here.manifest("web.yaml", manifest("web"));
    await here.clock.advance(1000);
    expect(here.pod("web").metadata.deletionTimestamp).toBe("2026-01-01T00:00:31Z");
    await here.clock.advance(5000);
    expect(here.pod("web").metadata.deletionTimestamp).toBeUndefined();
    expect(stateOf(here, "web")).toBe("running, restarts 0");
  });

  test("a pod that an earlier agent ended stays ended, but starts again when its manifest is removed and comes back", async () => {
    const here = await node();
    const text = manifest("web", { spec: "activeDeadlineSeconds: 5" });
    await here.manifest("web.yaml", text);
    await here.clock.advance(40_000);
    await here.stop();
    await here.start();
    await here.clock.advance(1000);
    expect(here.status("web")).toMatchObject({ phase: "Failed", reason: "DeadlineExceeded" });
    await here.manifest("web.yaml", undefined);
    await here.clock.advance(10_000);
    await here.manifest("web.yaml", text);
    await here.clock.advance(1000);
    expect(here.status("web").phase).toBe("Running");
  });

  test("a manifest that comes back and goes again while its pod is being stopped starts nothing", async () => {
    const here = await node();
    here.runtime.delay("stopContainer", 3000);
    await here.manifest("web.yaml", manifest("web"));
    await here.clock.advance(1000);
    for (const text of [undefined, manifest("web"), undefined]) await here.manifest("web.yaml", text);
    await here.clock.advance(10_000);
    expect(here.agent.api.pods()).toEqual([]);
  });

  test("while all pods are stopped a manifest that comes starts nothing, and one that is applied is refused", async () => {
    const here = await node();
    here.runtime.delay("stopContainer", 3000);
    await here.manifest("web.yaml", manifest("web"));
    await here.clock.advance(1000);
    const ended = here.agent.shutdown();
    await here.manifest("late.yaml", manifest("late"));
    await expect(here.agent.api.apply(manifest("late"), "-f")).rejects.toMatchObject({ code: "AGENT_STOPPING" });
    await here.clock.advance(5_000);
    await ended;
    expect(here.agent.api.pods()).toEqual([]);
  });

  test("a pod that two sources want under one name runs once, and that is reported", async () => {
    const here = await node();
    await here.manifest("web.yaml", manifest("web"));
    await here.clock.advance(1000);
    await here.agent.api.apply(manifest("web-node1"), "test");
    await here.clock.advance(1000);
    expect(here.agent.api.pods()).toHaveLength(1);
    expect(here.agent.api.events()).toContainEqual(
      expect.objectContaining({
        type: "Warning",
        reason: "DuplicatePod",
        message: "pod default/web-node1 is wanted by sources file and control: the one of file counts",
      }),
    );
  });

  test("a failed postStart kills its container, which is started again by its policy", async () => {
    const here = await node();
    here.runtime.execResult({ command: ["warm-up"] }, { exitCode: 1 });
    const containers = "[{ name: main, image: 'app:1', lifecycle: { postStart: { exec: { command: [warm-up] } } } }]";
    await here.manifest("web.yaml", manifest("web", { containers }));
    await here.clock.advance(5000);
    expect(here.events()).toEqual(
      expect.arrayContaining(["FailedPostStartHook: PostStartHook failed", "Killing: FailedPostStartHook"]),
    );
    expect(stateOf(here, "web")).toBe("waiting CrashLoopBackOff, restarts 1");
  });

  test("preStop counts against the grace period, and at least 2 s are left for the kill", async () => {
    const here = await node();
    here.runtime.script({ container: "main" }, (process) => process.onTerm(() => {}));
    const containers = "[{ name: main, image: 'app:1', lifecycle: { preStop: { sleep: { seconds: 8 } } } }]";
    await here.manifest("web.yaml", manifest("web", { containers, spec: "terminationGracePeriodSeconds: 9" }));
    await here.clock.advance(1000);
    await here.manifest("web.yaml", undefined);
    await here.clock.advance(9_900);
    expect(here.runtime.running("web-node1")).toEqual(["main"]);
    await here.clock.advance(200);
    expect(here.agent.api.pods()).toEqual([]);
  });

  test("an image that is not there is ErrImagePull, then ImagePullBackOff, and runs when it comes", async () => {
    const here = await node();
    here.runtime.failNext("pullImage", "no such host", 2);
    await here.manifest("web.yaml", manifest("web", { containers: "[{ name: main, image: 'other:1' }]" }));
    await here.clock.advance(1000);
    expect(stateOf(here, "web")).toBe("waiting ImagePullBackOff, restarts 0");
    expect(here.status("web").containerStatuses?.[0]?.state?.waiting?.message).toBe(
      'Back-off pulling image "other:1": ErrImagePull: no such host',
    );
    expect(here.events()).toEqual(
      expect.arrayContaining([
        'Pulling: Pulling image "other:1"',
        'Failed: Failed to pull image "other:1": no such host',
        "Failed: Error: ErrImagePull",
        'BackOff: Back-off pulling image "other:1"',
        "Failed: Error: ImagePullBackOff",
      ]),
    );
    await here.clock.advance(60_000);
    expect(stateOf(here, "web")).toBe("running, restarts 0");
  });

  test("an image that must never be pulled has that reason", async () => {
    const here = await node();
    const containers = "[{ name: main, image: 'other:1', imagePullPolicy: Never }]";
    await here.manifest("web.yaml", manifest("web", { containers }));
    await here.clock.advance(1000);
    expect(here.status("web").containerStatuses?.[0]?.state?.waiting).toEqual({
      reason: "ErrImageNeverPull",
      message: 'Container image "other:1" is not present with pull policy of Never',
    });
  });

  test("a completed job that the next agent takes over gets no event about a changed sandbox", async () => {
    const here = await node();
    here.runtime.script({ container: "main" }, (process) => process.after(500, () => process.exit(1)));
    await here.manifest("job.yaml", manifest("job", { spec: "restartPolicy: Never" }));
    await here.clock.advance(5000);
    expect(here.status("job").phase).toBe("Failed");
    await here.stop();
    await here.start();
    await here.clock.advance(60_000);
    expect(here.status("job").phase).toBe("Failed");
    expect(here.events().filter((event) => event.startsWith("SandboxChanged"))).toEqual([]);
  });

  test("a dead sandbox is replaced and its containers start again", async () => {
    const here = await node();
    await here.manifest("web.yaml", manifest("web"));
    await here.clock.advance(1000);
    here.runtime.loseSandbox("web-node1");
    await here.clock.advance(2_000);
    expect(here.events()).toContain("SandboxChanged: Pod sandbox changed, it will be killed and re-created.");
    expect(stateOf(here, "web")).toBe("running, restarts 1");
  });

  test("a pod whose sandbox cannot be created gets an event and is retried", async () => {
    const here = await node();
    here.runtime.failNext("runSandbox", "no address left", 1);
    await here.manifest("web.yaml", manifest("web"));
    await here.clock.advance(100);
    expect(here.events()).toContain("FailedCreatePodSandBox: Failed to create pod sandbox: no address left");
    await here.clock.advance(1000);
    expect(stateOf(here, "web")).toBe("running, restarts 0");
  });

  test("a host path of the wrong type keeps the pod from starting, with the reason", async () => {
    const here = await node();
    const spec = "volumes: [{ name: v, hostPath: { path: /etc/hostname, type: Directory } }]";
    await here.manifest("web.yaml", manifest("web", { spec }));
    await here.clock.advance(100);
    expect(here.events()).toContain(
      'FailedMount: MountVolume.SetUp failed for volume "v" : hostPath type check failed: /etc/hostname is not a directory',
    );
    expect(stateOf(here, "web")).toBe("waiting ContainerCreating, restarts 0");
  });

  test("a pod that does not fit is rejected and the others are untouched", async () => {
    const here = await node();
    await here.manifest("web.yaml", manifest("web"));
    await here.manifest("nofit.yaml", manifest("nofit", { spec: "nodeSelector: { disk: gold }" }));
    await here.clock.advance(1000);
    expect(here.status("nofit")).toEqual({
      phase: "Failed",
      reason: "NodeAffinity",
      message: "Pod was rejected: Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector",
      startTime: "2026-01-01T00:00:00Z",
      qosClass: "BestEffort",
    });
    expect(stateOf(here, "web")).toBe("running, restarts 0");
    expect(here.agent.api.explain("pod", "nofit")).toHaveLength(1);
  });
});

describe("a restart of the agent", () => {
  test("pods are taken over: same containers, same start, same restart count, nothing started twice", async () => {
    const here = await node();
    here.runtime.script({ container: "main" }, (process) => process.after(2000, () => process.exit(1)));
    await here.manifest("web.yaml", manifest("web"));
    await here.clock.advance(3000);
    const before = here.status("web").containerStatuses?.[0];
    expect(before?.restartCount).toBe(1);
    const { startTime } = here.status("web");
    const starts = here.runtime.calls.startContainer;
    await here.stop();
    await here.start();
    expect(here.status("web").containerStatuses?.[0]).toEqual(before);
    expect(here.status("web").startTime).toBe(startTime);
    expect(here.runtime.calls.startContainer).toBe(starts);
  });

  test("a container that ended without an agent has its true exit code, and its back-off continues", async () => {
    const here = await node();
    here.runtime.script({ container: "main" }, (process) => process.after(1000, () => process.exit(7)));
    await here.manifest("web.yaml", manifest("web"));
    await here.clock.advance(1500);
    await here.stop();
    await here.clock.advance(3000);
    await here.start();
    const status = here.status("web").containerStatuses?.[0];
    expect(status?.lastState?.terminated?.exitCode).toBe(7);
    expect(stateOf(here, "web")).toBe("waiting CrashLoopBackOff, restarts 1");
  });

  test("a pod whose manifest went away meanwhile is stopped", async () => {
    const here = await node();
    await here.manifest("web.yaml", manifest("web"));
    await here.clock.advance(1000);
    await here.stop();
    await here.manifest("web.yaml", undefined);
    await here.start();
    await here.clock.advance(40_000);
    expect(here.agent.api.pods()).toEqual([]);
    expect(await here.runtime.listContainers()).toEqual([]);
  });

  test("a pod whose manifest changed meanwhile is stopped before the new one starts", async () => {
    const here = await node();
    await here.manifest("web.yaml", manifest("web"));
    await here.clock.advance(1000);
    const { uid } = here.pod("web").metadata;
    await here.stop();
    await here.manifest("web.yaml", manifest("web", { spec: "terminationGracePeriodSeconds: 3" }));
    await here.start();
    await here.clock.advance(40_000);
    expect(here.pod("web").metadata.uid).not.toBe(uid);
    expect(await here.runtime.listSandboxes()).toHaveLength(1);
    expect(stateOf(here, "web")).toBe("running, restarts 0");
  });

  test("containers that carry no Kubernetes labels are left alone", async () => {
    const here = await node();
    await here.stop();
    await here.runtime.start();
    const foreign = {
      metadata: { name: "other", namespace: "elsewhere", uid: "x", attempt: 0 },
      hostname: "",
      logDirectory: "/nowhere",
      labels: {},
      annotations: {},
      portMappings: [],
      runtimeHandler: "",
    };
    await here.runtime.runSandbox(foreign as never);
    await here.start();
    await here.clock.advance(60_000);
    expect(await here.runtime.listSandboxes()).toHaveLength(1);
  });
});
