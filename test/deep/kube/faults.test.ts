/** Slow, failing and lost answers between the node and the API server: everything is done all the same, once. */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { until } from "../../support/agent.js";
import { BehindProxy } from "./behind-proxy.js";
import { deployment, podTemplate } from "./cluster.js";
import type { Asked, Fault } from "./faulty-proxy.js";

interface Case {
  readonly name: string;
  readonly fault: (asked: Asked) => Fault | undefined;
}

/** Watches have come and gone: the node's own lease and status are within what may go wrong. */
const cases: readonly Case[] = [
  { name: "every answer is 1.5 s late", fault: () => ({ kind: "late", milliseconds: 1_500 }) },
  {
    name: "every second request is 429 with Retry-After",
    fault: ({ count }) =>
      count % 2 === 0 ? { kind: "status", code: 429, headers: { "retry-after": "1" } } : undefined,
  },
  {
    name: "every third request is 500",
    fault: ({ count }) => (count % 3 === 0 ? { kind: "status", code: 500 } : undefined),
  },
  {
    name: "every third write is done and its answer lost",
    fault: ({ kind, ofItsKind }) => (kind === "write" && ofItsKind % 3 === 0 ? { kind: "lost" } : undefined),
  },
  {
    name: "every stream is cut in the middle of an event after 2 s",
    fault: ({ kind }) => (kind === "watch" ? { kind: "cut", milliseconds: 2_000 } : undefined),
  },
  {
    name: "every second watch hears that its version was compacted away",
    fault: ({ kind, ofItsKind }) => (kind === "watch" && ofItsKind % 2 === 0 ? { kind: "compacted" } : undefined),
  },
];

describe("between the node and the API server", () => {
  let behind: BehindProxy;
  let proxy: BehindProxy["proxy"];
  let node: BehindProxy["node"];
  let place: BehindProxy["place"];

  beforeAll(async () => {
    behind = await BehindProxy.create("faults");
    ({ proxy, node, place } = behind);
    const env = [{ name: "VALUE", valueFrom: { configMapKeyRef: { name: "value", key: "value" } } }];
    await place.kubectl("create", "configmap", "value", "--from-literal=value=1");
    await place.apply(deployment("web", 5, podTemplate("web", { env })));
    await place.ready("app=web", 5);
  }, 120_000);

  afterAll(() => behind?.remove(), 240_000);

  test.each(cases)(
    "$name: pods come and go, none twice, and those that stay are not touched",
    async ({ fault }) => {
      const started = async (): Promise<ReadonlyMap<string, string>> =>
        new Map(
          (await place.pods("app=web")).map(({ metadata, status }) => {
            const [{ containerID = "", restartCount = -1 } = {}] = status.containerStatuses ?? [];
            return [metadata.uid, `${containerID} ${restartCount}`];
          }),
        );
      const before = await started();
      proxy.begin(fault);
      try {
        await place.kubectl("scale", "deployment/web", "--replicas=12");
        await place.ready("app=web", 12, 90);
        const full = await started();
        for (const [uid, was] of before) expect(full.get(uid)).toBe(was);
        await place.kubectl("scale", "deployment/web", "--replicas=5");
        await until("seven are gone", async () => (await place.pods("app=web")).length === 5, 90);
        expect(proxy.done).toBeGreaterThan(0);
      } finally {
        proxy.end();
      }
      await place.ready("app=web", 5);
      await until("the node has those five alone", async () => node.podFolders().length === 5);
      expect(node.podFolders().toSorted()).toEqual([...(await started()).keys()].sort());
      for (const one of (await started()).values()) expect(one).toMatch(/ 0$/);
    },
    300_000,
  );
});
