/** A source whose server was down for an hour while its pods ran on. */
import { definePlugin, type Pod, type PodAdmitEvent, sleep } from "@hooklet/core";
import { describe, expect, test } from "@jest/globals";
import { createProbePlugin } from "../../../../plugin-probe/src/plugin.js";
import { aContainer, aPod, startTestAgent } from "../../../src/index.js";
import { LateSource } from "../contract/late-source.js";

const HOUR = 3_600_000;

const readiness = {
  exec: { command: ["ready"] },
  periodSeconds: 10,
  timeoutSeconds: 1,
  successThreshold: 1,
  failureThreshold: 1,
};
const probed = (): Pod =>
  aPod({ name: "web", uid: "web-1", containers: [aContainer({ name: "main", readinessProbe: readiness })] });

function readyOf(pod: Pod | undefined): boolean | undefined {
  return pod?.status?.containerStatuses?.[0]?.ready;
}

test("its pods keep running, reach every plugin as running ones, and are probed again; the probe's result holds, without a flap", async () => {
  const source = new LateSource();
  source.pods = [probed()];
  const events: PodAdmitEvent[] = [];
  const watcher = definePlugin({
    meta: { name: "watcher", api: 1 },
    start: (ctx) => void ctx.hooks.podAdmit.tap((_, event) => void events.push(event)),
  });
  const agent = await startTestAgent({ plugins: [createProbePlugin(), watcher], sources: [source] });
  agent.runtime.execResult({ container: "main" }, { exitCode: 1, stdout: "", stderr: "not yet" });
  await agent.advance(30_000);
  expect(readyOf(agent.pod("web"))).toBe(false);
  const [before] = await agent.runtime.listContainers();
  await agent.restart(() => {
    source.pods = undefined;
    source.reported.length = 0;
  });
  await agent.advance(HOUR);
  expect(agent.api.pods()).toEqual([]);
  events.length = 0;

  source.speak([probed()]);
  await agent.advance(60_000);
  expect((await agent.runtime.listContainers()).map(({ id }) => id)).toEqual([before?.id]);
  expect(events.map(({ pod, running }) => [pod.metadata.uid, running.map(({ id }) => id)])).toEqual([
    ["web-1", [before?.id]],
  ]);
  expect(source.reported.map(readyOf)).not.toContain(true);

  agent.runtime.execResult({ container: "main" }, { exitCode: 0, stdout: "", stderr: "" });
  await agent.advance(15_000);
  expect(readyOf(agent.pod("web"))).toBe(true);
  agent.runtime.execResult({ container: "main" }, { exitCode: 1, stdout: "", stderr: "gone" });
  await agent.advance(15_000);
  expect(readyOf(agent.pod("web"))).toBe(false);
});

test("a resource that is declared after the pods costs no running pod, and is refused to one that is yet to run", async () => {
  const source = new LateSource();
  const resources = { requests: { "vendor.example/gpu": "1" }, limits: { "vendor.example/gpu": "1" } };
  const pod = (name: string): Pod => aPod({ name, uid: name, containers: [aContainer({ name: "main", resources })] });
  let declare = (): void => undefined;
  let isLate = false;
  const devices = definePlugin({
    meta: { name: "devices", api: 1 },
    start: (ctx) => {
      declare = () => ctx.node.setExtendedResource("vendor.example/gpu", { capacity: 2, allocatable: 2 });
      return { open: () => (isLate ? undefined : declare()) };
    },
  });
  source.pods = [pod("old")];
  const agent = await startTestAgent({ plugins: [devices], sources: [source] });
  await agent.advance(5_000);
  expect(agent.pod("old").status?.phase).toBe("Running");
  const [before] = await agent.runtime.listContainers();
  await agent.restart(() => {
    isLate = true;
    source.pods = undefined;
  });
  await agent.advance(5_000);
  source.speak([pod("old"), pod("new")]);
  await agent.advance(5_000);
  expect(agent.pod("old").status?.phase).toBe("Running");
  expect(agent.pod("new").status).toMatchObject({ phase: "Failed", reason: "OutOfvendor.example/gpu" });
  declare();
  source.speak([pod("old"), pod("third")]);
  await agent.advance(5_000);
  expect((await agent.runtime.listContainers()).map(({ id }) => id)).toContain(before?.id);
  expect(agent.pod("third").status?.phase).toBe("Running");
});

describe("while a pod is taken over", () => {
  /** Holds readiness: says it at the pod's admission, which takes 5 s, and in `open` what `remembered` has. */
  async function takenOver(remembered: boolean | undefined): Promise<readonly unknown[]> {
    const source = new LateSource();
    const pod = aPod({ name: "web", uid: "web-1", containers: [aContainer({ name: "main" })] });
    const ref = { podUid: "web-1", container: "main" };
    source.pods = [pod];
    let isSecond = false;
    const holder = definePlugin({
      meta: { name: "holder", api: 1 },
      start(ctx) {
        ctx.hooks.podAdmit.tap(async () => {
          if (!isSecond) return;
          await sleep(ctx.clock, 5_000);
          ctx.pods.setContainerReady(ref, false);
        });
        return {
          open: () => {
            if (isSecond && remembered !== undefined) ctx.pods.setContainerReady(ref, remembered);
          },
        };
      },
    });
    const agent = await startTestAgent({ plugins: [holder], sources: [source] });
    await agent.advance(5_000);
    expect(readyOf(agent.pod("web"))).toBe(true);
    await agent.restart(() => {
      source.pods = undefined;
      isSecond = true;
    });
    await agent.advance(60_000);
    const shown: unknown[] = [];
    agent.api.watchPods(() => shown.push(readyOf(agent.api.pods()[0])));
    source.speak([pod]);
    await agent.advance(30_000);
    expect(readyOf(agent.pod("web"))).toBe(false);
    return shown;
  }

  test("it never shows as ready before its plugins have reported", async () => {
    const shown = await takenOver(undefined);
    expect(shown).not.toEqual([]);
    expect(shown).not.toContain(true);
  });

  test("it shows as ready at once when a plugin remembers that it was", async () => {
    expect(await takenOver(true)).toContain(true);
  });
});

test("a source that speaks while pods of another one are being taken over: no pod of either is stopped", async () => {
  const sources = [new LateSource("one"), new LateSource("two")];
  const pods = sources.map(({ name }) => aPod({ name, uid: name }));
  for (const [i, source] of sources.entries()) source.pods = [pods[i] as Pod];
  const agent = await startTestAgent({ sources });
  await agent.advance(5_000);
  const before = await agent.runtime.listContainers();
  await agent.restart(() => {
    for (const source of sources) source.pods = undefined;
  });
  await agent.advance(60_000);
  agent.runtime.delay("sandboxStatus", 5_000);
  for (const [i, source] of sources.entries()) source.speak([pods[i] as Pod]);
  await agent.advance(60_000);
  expect(before).toHaveLength(2);
  expect(await agent.runtime.listContainers()).toEqual(before);
});
