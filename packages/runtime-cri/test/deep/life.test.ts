/** Pods on a real containerd, from manifest to gone. */
import { readdir, readFile } from "node:fs/promises";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { testRuns } from "../../../../test/test-seed.mjs";
import { Containerd, describeOnContainerd } from "../containerd.js";
import { CriNode, isReady } from "../node.js";
import { container, pod } from "../pods.js";

describeOnContainerd("the life of pods on containerd", () => {
  let containerd: Containerd;
  let node: CriNode;

  beforeAll(async () => {
    containerd = await Containerd.start("life");
    node = await CriNode.create(containerd.endpoint);
    await node.start();
  }, 240_000);

  afterAll(async () => {
    await node?.remove();
    await containerd?.stop();
  }, 240_000);

  const statusOf = (name: string) => node.pod(name)?.status?.containerStatuses?.[0];
  const log = (name: string, previous = false): Promise<string> =>
    node.api.log({ name }, undefined, { previous }).then(({ path: file }) => readFile(file, "utf8"));
  const containerOf = async (name: string): Promise<string> => {
    const [found] = await node.runtime.listContainers({ podUid: node.pod(name)?.metadata.uid ?? "" });
    return found?.id ?? "";
  };
  const pidOf = async (name: string): Promise<number> => {
    const id = await containerOf(name);
    const row = (await containerd.ctr("tasks", "ls")).split("\n").find((line) => line.startsWith(id));
    return Number(row?.split(/\s+/)[1]);
  };
  const output = async (name: string): Promise<string> => (await log(name)).replaceAll(/^\S+ std(out|err) F /gm, "");

  test("init containers run one after the other, then a sidecar, then the main container", async () => {
    const spec = {
      volumes: [{ name: "v", emptyDir: {} }],
      initContainers: [
        container({ name: "one", script: "echo one >> /v/o", volumeMounts: [{ name: "v", mountPath: "/v" }] }),
        container({ name: "side", restartPolicy: "Always" }),
        container({ name: "two", script: "echo two >> /v/o", volumeMounts: [{ name: "v", mountPath: "/v" }] }),
      ],
    };
    const main = { script: "cat /v/o; sleep 3600 & wait", volumeMounts: [{ name: "v", mountPath: "/v" }] };
    await node.manifest("order.json", pod("order", [main], spec));
    await node.ready("order");
    await node.until("its output", async () => (await output("order")) === "one\ntwo\n");
    expect(
      node.pod("order")?.status?.initContainerStatuses?.map(({ name, state }) => [name, Object.keys(state ?? {})[0]]),
    ).toEqual([
      ["one", "terminated"],
      ["side", "running"],
      ["two", "terminated"],
    ]);
  }, 200_000);

  test.each([
    { name: "completed", script: "exit 0", exitCode: 0, reason: "Completed" },
    { name: "error", script: "exit 3", exitCode: 3, reason: "Error" },
  ])(
    "a container that ends with $reason ($exitCode)",
    async ({ name, script, exitCode, reason }) => {
      await node.manifest(
        `${name}.json`,
        pod(name, [{ script: `echo words > /dev/termination-log; ${script}` }], { restartPolicy: "Never" }),
      );
      await node.until("its end", () => statusOf(name)?.state?.terminated !== undefined);
      expect(statusOf(name)?.state?.terminated).toMatchObject({ exitCode, reason, message: "words\n" });
    },
    200_000,
  );

  test("a container that is killed from outside: 137", async () => {
    await node.manifest("killed.json", pod("killed", [{}], { restartPolicy: "Never" }));
    await node.ready("killed");
    process.kill(await pidOf("killed"), "SIGKILL");
    await node.until("its end", () => statusOf("killed")?.state?.terminated !== undefined);
    expect(statusOf("killed")?.state?.terminated).toMatchObject({ exitCode: 137, reason: "Error" });
  }, 200_000);

  test("a container that takes more memory than it may: OOMKilled", async () => {
    const script = "while [ ! -e /go ]; do sleep 0.1; done; tail /dev/zero";
    await node.manifest("oom.json", pod("oom", [{ script }], { restartPolicy: "Never" }));
    await node.ready("oom");
    const id = await containerOf("oom");
    await node.runtime.updateContainerResources(id, { memoryLimitInBytes: 32 * 1024 * 1024 });
    await node.runtime.execSync(id, ["touch", "/go"], 10);
    await node.until("its end", () => statusOf("oom")?.state?.terminated !== undefined);
    expect(statusOf("oom")?.state?.terminated).toMatchObject({ exitCode: 137, reason: "OOMKilled" });
  }, 200_000);

  test("a command that does not exist: StartError, 128", async () => {
    const command = ["/no/such/command"];
    await node.manifest("missing.json", pod("missing", [{ command }], { restartPolicy: "Never" }));
    await node.until("its end", () => statusOf("missing")?.state?.terminated !== undefined);
    expect(statusOf("missing")?.state?.terminated).toMatchObject({ exitCode: 128, reason: "StartError" });
  }, 200_000);

  test("a container that crashes is restarted, and its previous log is kept", async () => {
    await node.manifest("crash.json", pod("crash", [{ script: "echo life $(date +%N); sleep 0.2; exit 4" }]));
    await node.until("a restart", () => (statusOf("crash")?.restartCount ?? 0) > 0);
    await node.until("back-off", () => statusOf("crash")?.state?.waiting?.reason === "CrashLoopBackOff");
    expect(statusOf("crash")?.lastState?.terminated).toMatchObject({ exitCode: 4, reason: "Error" });
    expect(await log("crash", true)).toMatch(/stdout F life/);
  }, 200_000);

  test("an image that is nowhere: ErrImagePull, then ImagePullBackOff", async () => {
    await node.manifest("nowhere.json", pod("nowhere", [{ image: "registry.invalid/none:1" }]));
    await node.until("the back-off", () => statusOf("nowhere")?.state?.waiting?.reason === "ImagePullBackOff", 60);
    const reasons = node.api.events().filter(({ involvedObject }) => involvedObject.name?.startsWith("nowhere"));
    expect(reasons.map(({ reason, message }) => [reason, message])).toEqual(
      expect.arrayContaining([
        ["Failed", "Error: ErrImagePull"],
        ["BackOff", 'Back-off pulling image "registry.invalid/none:1"'],
        ["Failed", expect.stringMatching(/^Failed to pull image "registry.invalid\/none:1": rpc error: code = /)],
      ]),
    );
  }, 240_000);

  test("an image with pull policy Never that is missing, and a name that is none", async () => {
    await node.manifest("never.json", pod("never", [{ image: "none:1", imagePullPolicy: "Never" }]));
    await node.manifest("wrong.json", pod("wrong", [{ image: "No Image" }]));
    await node.until(
      "both are reported",
      () =>
        statusOf("never")?.state?.waiting?.reason === "ErrImageNeverPull" &&
        statusOf("wrong")?.state?.waiting?.reason === "InvalidImageName",
    );
  }, 200_000);

  test("a container that ignores TERM is killed when its grace is over", async () => {
    await node.manifest("deaf.json", pod("deaf", [{ script: 'trap "" TERM; while :; do sleep 1; done' }]));
    await node.ready("deaf");
    const began = performance.now();
    await node.removeManifest("deaf.json");
    await node.until("it is gone", () => node.pod("deaf") === undefined);
    expect(performance.now() - began).toBeGreaterThan(1_900);
    // Another grace than its own would be 30 s.
    expect(performance.now() - began).toBeLessThan(20_000);
  }, 200_000);

  test("hundreds of children go with their container", async () => {
    const script = `for i in $(seq 300); do sleep 7654 & done; ${"wait"}`;
    await node.manifest("forks.json", pod("forks", [{ script }], { terminationGracePeriodSeconds: 1 }));
    await node.ready("forks");
    await node.until("its children run", async () => (await processes("sleep\u00007654")) >= 300);
    await node.removeManifest("forks.json");
    await node.until("it is gone", () => node.pod("forks") === undefined);
    expect(await processes("sleep\u00007654")).toBe(0);
  }, 200_000);

  test("a pod of twenty containers", async () => {
    await node.manifest(
      "twenty.json",
      pod(
        "twenty",
        Array.from({ length: 20 }, (_, i) => ({ name: `c${i}` })),
      ),
    );
    await node.ready("twenty");
    expect(node.pod("twenty")?.status?.containerStatuses).toHaveLength(20);
    await node.removeManifest("twenty.json");
    await node.until("it is gone", () => node.pod("twenty") === undefined);
  }, 240_000);

  const MANY = testRuns(110);
  test(`${MANY} pods at once, and none is left afterwards`, async () => {
    const names = Array.from({ length: MANY }, (_, i) => `many-${i}`);
    await Promise.all(names.map((name) => node.manifest(`${name}.json`, pod(name))));
    await node.until("all are ready", () => names.every((name) => isReady(node.pod(name))), 350);
    await Promise.all(names.map((name) => node.removeManifest(`${name}.json`)));
    await node.until("all are gone", () => !node.api.pods().some(({ metadata }) => /^many-/.test(metadata.name)), 350);
    const left = await node.runtime.listSandboxes();
    expect(left.filter(({ metadata }) => /^many-/.test(metadata.name))).toEqual([]);
  }, 800_000);
});

async function processes(command: string): Promise<number> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const commands = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")));
  return commands.filter((one) => one.startsWith(command)).length;
}
