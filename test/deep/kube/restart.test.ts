/** The agent goes and comes back under a full node; the API sees nothing of it. */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { deployment, Going, isReady, Place, podTemplate, say, there } from "./cluster.js";
import { HookletNode } from "./nodes.js";

const PODS = 110;

interface Change {
  readonly metadata: { readonly name: string };
  readonly status: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

describe(`${PODS} pods with readiness probes`, () => {
  let node: HookletNode;
  let place: Place;

  beforeAll(async () => {
    node = await HookletNode.create("worker1");
    await node.start();
    place = await Place.create("restart");
    const readinessProbe = { exec: { command: ["true"] }, periodSeconds: 10 };
    await place.apply(deployment("full", PODS, podTemplate("full", { readinessProbe })));
    await place.ready("app=full", PODS, 180);
  }, 240_000);

  afterAll(async () => {
    await place?.remove().finally(() => node?.remove());
  }, 300_000);

  test.each(["SIGKILL", "SIGTERM"] as const)(
    "a restart after %s makes none unready at the API, restarts none, changes none",
    async (signal) => {
      const before = await place.pods("app=full");
      const watch = Going.program(
        ...([there.kubectl, "--kubeconfig", there.kubeconfig, "get", "pods", "-n", place.namespace] as const),
        ...["-l", "app=full", "--watch-only", "-o", "json"],
      );
      await new Promise((resolve) => setTimeout(resolve, 2_000));
      await node.end(signal);
      const down = Date.now();
      await node.start();
      say(`${signal}: Ready again after ${((Date.now() - down) / 1000).toFixed(1)} s`);
      // Two rounds of every probe.
      await new Promise((resolve) => setTimeout(resolve, 21_000));
      await watch.end();
      const unready = documents(watch.output).filter(
        ({ status }) => status.conditions?.find(({ type }) => type === "Ready")?.status !== "True",
      );
      expect(unready.map(({ metadata }) => metadata.name)).toEqual([]);
      const after = await place.pods("app=full");
      expect(after.filter(isReady)).toHaveLength(PODS);
      const ids = (pods: typeof after) =>
        pods.map(({ metadata, status }) => {
          const [{ containerID = "", restartCount = -1 } = {}] = status.containerStatuses ?? [];
          const ready = status.conditions?.find(({ type }) => type === "Ready")?.lastTransitionTime;
          return [metadata.uid, containerID, restartCount, ready].join(" ");
        });
      expect(ids(after).sort()).toEqual(ids(before).sort());
    },
    120_000,
  );
});

/** `kubectl -w -o json` prints one document after the other. */
function documents(text: string): readonly Change[] {
  return text
    .split(/^(?=\{)/m)
    .filter((one) => one.trimEnd().endsWith("}"))
    .map((one) => JSON.parse(one) as Change);
}
