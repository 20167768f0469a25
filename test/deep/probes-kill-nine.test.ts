/** Probes go on, and ready pods stay ready, over the death of the agent. */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { until, type V1Pod, type Workplace } from "../support/agent.js";
import { condition, place, start, status, timeoutSeconds } from "../support/probed-node.js";
import { type RealRuntime, runtimes } from "../support/runtimes.js";

const LIMIT = 300_000;

describe.each(runtimes.filter(({ lacking }) => lacking === undefined))("on $name, an agent killed with -9", (offer) => {
  const PODS = 50;
  let runtime: RealRuntime;
  let node: Workplace;
  let server: Server;
  let asked = 0;

  beforeAll(async () => {
    server = createServer((_, response) => {
      asked++;
      response.end("ok");
    });
    const port = await new Promise<number>((resolve) =>
      server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port)),
    );
    runtime = await offer.start("probkill");
    node = await place(runtime);
    const httpGet = { host: "127.0.0.1", port, path: "/" };
    for (let i = 0; i < PODS; i++) {
      const main = {
        name: "main",
        image: runtime.image,
        imagePullPolicy: "IfNotPresent",
        command: ["sh", "-c", 'trap "exit 0" TERM; sleep 3600 & wait $!'],
        startupProbe: { httpGet, periodSeconds: 1, timeoutSeconds },
        readinessProbe: { httpGet, periodSeconds: 2, timeoutSeconds },
        livenessProbe: { tcpSocket: { host: "127.0.0.1", port }, periodSeconds: 2, timeoutSeconds },
      };
      const spec = { terminationGracePeriodSeconds: 1, containers: [main] };
      await node.manifest(
        `p${i}.json`,
        JSON.stringify({ apiVersion: "v1", kind: "Pod", metadata: { name: `p${i}` }, spec }),
      );
    }
    await until("all pods are ready", async () => ready(await node.pods()) === PODS, 200);
    // What was decided last is kept a moment later: an agent that is killed within it asks once more.
    const since = asked;
    await until("all are probed once more", async () => asked >= since + PODS);
  }, LIMIT);

  afterAll(async () => {
    await node.remove();
    await runtime.stop();
    server.closeAllConnections();
    server.close();
  }, LIMIT);

  const ready = (pods: readonly V1Pod[]) => pods.filter((pod) => condition(pod, "Ready") === "True").length;
  const story = (pods: readonly V1Pod[]) =>
    Object.fromEntries(
      pods.map((pod) => [pod.metadata.name, { id: status(pod)?.containerID, restarts: status(pod)?.restartCount }]),
    );

  const changes = (pods: readonly V1Pod[]) =>
    Object.fromEntries(pods.map(({ metadata: { name }, status: { conditions } }) => [name, conditions]));

  test(
    "finds its pods ready: at no time one flaps, none is restarted, and their probes go on",
    async () => {
      const before = story(await node.pods());
      await node.kill();
      await start(node);
      const since = asked;
      const changed = changes(await node.pods());
      do {
        const pods = await node.pods();
        expect([pods.length, ready(pods)]).toEqual([PODS, PODS]);
        // The agent has probes to make.
        await new Promise((resolve) => setTimeout(resolve, 100));
      } while (asked < since + 2 * PODS);
      const after = await node.pods();
      expect(story(after)).toEqual(before);
      // Nothing was missed between two looks.
      expect(changes(after)).toEqual(changed);
    },
    LIMIT,
  );
});
