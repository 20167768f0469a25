/** containerd and its shims die, the agent forgets everything, strangers live beside its pods. */
import { readdirSync, readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { Containerd, describeOnContainerd } from "../containerd.js";
import { CriNode, isReady } from "../node.js";
import { pod } from "../pods.js";

const PODS = Array.from({ length: 50 }, (_, i) => `p${i}`);

describeOnContainerd("recovery on containerd", () => {
  let containerd: Containerd;
  let node: CriNode;

  beforeAll(async () => {
    containerd = await Containerd.start("recover");
    node = await CriNode.create(containerd.endpoint);
    await node.start();
    await Promise.all(PODS.map((name) => node.manifest(`${name}.json`, pod(name))));
    await node.until("50 pods are ready", () => PODS.every((name) => isReady(node.pod(name))), 250);
  }, 400_000);

  afterAll(async () => {
    await node?.remove();
    await containerd?.stop();
  }, 400_000);

  const statusOf = (name: string) => node.pod(name)?.status?.containerStatuses?.[0];
  const ids = () => Object.fromEntries(PODS.map((name) => [name, statusOf(name)?.containerID]));

  test("containerd dies and comes back under 50 pods: nothing is restarted, no ready pod flaps", async () => {
    const before = ids();
    await node.manifest("ends.json", pod("ends", [{ script: "sleep 4; exit 9" }], { restartPolicy: "Never" }));
    await node.ready("ends");
    const flaps: string[] = [];
    const stop = node.api.watchPods(() => {
      flaps.push(...PODS.filter((name) => !isReady(node.pod(name)) || (statusOf(name)?.restartCount ?? 0) > 0));
    });
    await containerd.kill();
    await node.until("its absence is told", async () => !(await node.api.health()).ok);
    await node.manifest("late.json", pod("late"));
    // The container ends while no agent runs.
    await node.until("the process is gone", () => processes("sleep\u00004\u0000").length === 0);
    await containerd.resume();
    await node.until("all is well", async () => (await node.api.health()).ok);
    await node.until("its end is known", () => statusOf("ends")?.state?.terminated !== undefined);
    expect(statusOf("ends")?.state?.terminated).toMatchObject({ exitCode: 9, reason: "Error" });
    await node.ready("late");
    stop();
    expect(flaps).toEqual([]);
    expect(ids()).toEqual(before);
    for (const name of ["ends", "late"]) await node.removeManifest(`${name}.json`);
    await node.until("they are gone", () => ["ends", "late"].every((name) => node.pod(name) === undefined));
  }, 400_000);

  test("a shim that is killed takes its pod with it, and the pod comes back once", async () => {
    const uid = node.pod("p0")?.metadata.uid ?? "";
    const before = statusOf("p0")?.containerID;
    const [sandbox] = await node.runtime.listSandboxes({ podUid: uid });
    const [shim] = processes("").filter(
      ({ command }) => command.includes("containerd-shim") && command.includes(sandbox?.id ?? "none"),
    );
    if (shim === undefined) throw new Error("the pod has no shim");
    process.kill(shim.pid, "SIGKILL");
    await node.until("another container runs", () => {
      const { containerID, state } = statusOf("p0") ?? {};
      return containerID !== before && state?.running !== undefined && isReady(node.pod("p0"));
    });
    const running = (await node.runtime.listContainers({ podUid: uid })).filter(
      ({ state }) => state === "CONTAINER_RUNNING",
    );
    expect(running).toHaveLength(1);
    const ready = (await node.runtime.listSandboxes({ podUid: uid })).filter(({ state }) => state === "SANDBOX_READY");
    expect(ready).toHaveLength(1);
  }, 200_000);

  test("an agent whose whole root dir is gone adopts every pod by its labels", async () => {
    const before = ids();
    await node.stop();
    await rm(node.rootDir, { recursive: true, force: true });
    await node.start();
    expect(PODS.filter((name) => node.pod(name) === undefined)).toEqual([]);
    await node.ready(...PODS);
    expect(ids()).toEqual(before);
  }, 400_000);

  test("an orphaned pod is stopped and removed; containers of other owners are not touched", async () => {
    await node.stop();
    for (const name of PODS.slice(10)) await node.removeManifest(`${name}.json`);
    const forever = ["busybox", "sleep", "86400"];
    const image = "docker.io/library/busybox:1.36";
    const detached = ["run", "--detach", "--null-io"];
    await containerd.ctr(...detached, image, "unlabelled", ...forever);
    await containerd.ctr("-n", "stranger", "images", "import", "--base-name", "x", containerd.archive("busybox"));
    await containerd.ctr("-n", "stranger", ...detached, image, "stranger", ...forever);
    await node.start();
    const owners = async () =>
      new Set((await node.runtime.listSandboxes()).map(({ metadata }) => metadata.name.replace("-node1", "")));
    await node.until("the orphans are gone", async () => (await owners()).size === 10, 150);
    expect([...(await owners())].sort()).toEqual(PODS.slice(0, 10));
    const running = (await node.runtime.listContainers()).filter(({ state }) => state === "CONTAINER_RUNNING");
    expect(running).toHaveLength(10);
    expect(await containerd.ctr("tasks", "ls")).toMatch(/^unlabelled\s+\d+\s+RUNNING/m);
    expect(await containerd.ctr("-n", "stranger", "tasks", "ls")).toMatch(/^stranger\s+\d+\s+RUNNING/m);
    await containerd.ctr("tasks", "kill", "--signal", "KILL", "unlabelled");
    await containerd.ctr("-n", "stranger", "tasks", "kill", "--signal", "KILL", "stranger");
  }, 400_000);
});

/** Processes of the machine whose command line begins so. */
function processes(start: string): readonly { readonly pid: number; readonly command: string }[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((name) => ({ pid: Number(name), command: commandOf(name) }))
    .filter(({ command }) => command !== "" && command.startsWith(start));
}

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return ""; // it ended meanwhile
  }
}
