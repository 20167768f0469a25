/** kill -9 of the agent in each phase of a deletion: the next one ends it, once. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { until } from "../../support/agent.js";
import { kubectl, Place, pod } from "./cluster.js";
import { killApiServer, signalApiServer } from "./control-plane.js";
import { HookletNode } from "./nodes.js";

/** The pod tells in a file of the machine what becomes of it. */
const tells = (then: string): object => ({
  command: ["sh", "-c", `echo started >> /recorded/life; ${then}`],
  volumeMounts: [{ name: "recorded", mountPath: "/recorded" }],
});
const obeys = tells('trap "echo ended >> /recorded/life; exit 0" TERM; while :; do sleep 1 & wait $!; done');
const endsSlowly = tells(
  'trap "echo ended >> /recorded/life; sleep 1; exit 0" TERM; while :; do sleep 1 & wait $!; done',
);
const ignores = tells('trap "echo asked >> /recorded/life" TERM; while :; do sleep 1 & wait $!; done');

describe("kill -9 of the agent", () => {
  let node: HookletNode;
  let place: Place;
  let folder: string;

  beforeAll(async () => {
    folder = mkdtempSync(path.join(tmpdir(), "hooklet-recorded-"));
    node = await HookletNode.create("worker1");
    await node.start();
    place = await Place.create("deletion");
  }, 120_000);

  afterAll(async () => {
    await place?.remove().finally(() => node?.remove());
    rmSync(folder, { recursive: true, force: true });
  }, 240_000);

  const recorded = (name: string): readonly string[] =>
    readFileSync(path.join(folder, name, "life"), "utf8")
      .trim()
      .split("\n");

  const runs = async (name: string, container: object, metadata: object = {}): Promise<void> => {
    const hostPath = { path: path.join(folder, name), type: "DirectoryOrCreate" };
    const spec = {
      terminationGracePeriodSeconds: 6,
      restartPolicy: "Never",
      volumes: [{ name: "recorded", hostPath }],
    };
    const whole = pod(name, container, spec) as { metadata: object };
    await place.apply({ ...whole, metadata: { ...whole.metadata, ...metadata } });
    await until(`${name} has started`, async () => (await place.pod(name))?.status.phase === "Running", 120);
  };

  const deletes = (name: string): Promise<string> => place.kubectl("delete", "pod", name, "--wait=false");

  /** Gone at the API, and nothing of it on the node. */
  const isGone = (name: string): Promise<void> =>
    until(`${name} is gone`, async () => (await place.pod(name)) === undefined && node.podFolders().length === 0, 120);

  const restarts = async (): Promise<void> => {
    await node.end("SIGKILL");
    await node.start();
  };

  test("while preStop runs", async () => {
    const preStop = { exec: { command: ["sh", "-c", "echo preStop >> /recorded/life; sleep 3"] } };
    await runs("hook", { ...obeys, lifecycle: { preStop } });
    await deletes("hook");
    await until("preStop runs", async () => recorded("hook").includes("preStop"));
    await restarts();
    await isGone("hook");
    expect(recorded("hook").filter((word) => word === "started")).toHaveLength(1);
    expect(recorded("hook").at(-1)).toBe("ended");
  }, 420_000);

  test("in the grace period of a container that ignores TERM: it is killed, and started no second time", async () => {
    await runs("stubborn", ignores);
    await deletes("stubborn");
    await until("it was asked to end", async () => recorded("stubborn").includes("asked"));
    await restarts();
    await isGone("stubborn");
    expect(recorded("stubborn").filter((word) => word === "started")).toHaveLength(1);
  }, 420_000);

  test("when all has ended and the API server does not know it", async () => {
    await runs("untold", endsSlowly);
    await deletes("untold");
    // The deletion has reached the node; from now on there is no answer, and what the agent sends is lost with the API server that did not read it.
    await until("it ends", async () => recorded("untold").includes("ended"));
    signalApiServer("SIGSTOP");
    try {
      // A second until it has ended, another for the agent that cannot tell it.
      await new Promise((resolve) => setTimeout(resolve, 2_500));
      await node.end("SIGKILL");
    } finally {
      await killApiServer();
    }
    expect((await place.pod("untold"))?.status.phase).toBe("Running");
    await node.start();
    await isGone("untold");
    expect(recorded("untold")).toEqual(["started", "ended"]);
  }, 420_000);

  test("when all was reported, and a finalizer of others keeps the pod", async () => {
    await runs("kept", obeys, { finalizers: ["hooklet.test/keep"] });
    await deletes("kept");
    await until("its end is told", async () => (await place.pod("kept"))?.status.phase === "Succeeded");
    await restarts();
    expect((await place.pod("kept"))?.status.phase).toBe("Succeeded");
    await place.kubectl("patch", "pod", "kept", "--type=merge", "-p", '{"metadata":{"finalizers":null}}');
    await isGone("kept");
    expect(recorded("kept")).toEqual(["started", "ended"]);
  }, 420_000);

  test("before it knows of the deletion: the next agent does it", async () => {
    await runs("late", obeys);
    await node.end("SIGKILL");
    await deletes("late");
    expect((await place.pod("late"))?.metadata.deletionTimestamp).toBeDefined();
    await node.start();
    await isGone("late");
    expect(recorded("late")).toEqual(["started", "ended"]);
  }, 420_000);

  test("before it knows of a forced deletion: the container ends although the API has forgotten it", async () => {
    await runs("forced", obeys);
    await node.end("SIGKILL");
    await place.kubectl("delete", "pod", "forced", "--force", "--grace-period=0", "--wait=false");
    await node.start();
    await until("it has ended", async () => recorded("forced").includes("ended"), 45);
    await isGone("forced");
    expect(recorded("forced")).toEqual(["started", "ended"]);
  }, 420_000);

  test("explain names what a Terminating pod waits for", async () => {
    await runs("waits", ignores);
    await place.kubectl("delete", "pod", "waits", "--wait=false", "--grace-period=20");
    await until("explain says it", async () => {
      const { stdout } = await node.hooklet("explain", "pod", "waits", "-n", "deletion");
      return /waits for container main to stop/.test(stdout);
    });
    await kubectl("delete", "pod", "-n", "deletion", "waits", "--wait=false", "--grace-period=1");
    await isGone("waits");
  }, 420_000);
});
