/** What the store of an API server makes of a patch of a status. */
import { VirtualClock } from "@hooklet/testkit";
import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { podStatusPatch, type Status, writtenStatus } from "../../../src/pods/status-patch.js";
import { FakeCluster } from "../../fake-cluster.js";
import { condition, merged, running } from "./statuses.js";

test("what the API has once it took a patch is known without its answer, others' words included", async () => {
  const types = ["Ready", "Initialized", "PodResizePending", "DisruptionTarget", "example.com/gate"];
  const words = fc.record(
    { reason: fc.constantFrom("A", "B"), message: fc.constantFrom("m", "n") },
    { requiredKeys: [] },
  );
  const conditions = fc.uniqueArray(
    fc
      .tuple(fc.constantFrom(...types), fc.constantFrom("True", "False"), words)
      .map(([type, status, more]) => condition(type, status, more)),
    { selector: ({ type }) => type },
  );
  const statuses = fc.record(
    {
      phase: fc.constantFrom("Pending", "Running", "Failed"),
      reason: fc.constantFrom("Evicted", ""),
      podIPs: fc.constantFrom<{ ip: string }[]>([], [{ ip: "1.1.1.1" }], [{ ip: "2.2.2.2" }]),
      conditions,
      containerStatuses: fc.uniqueArray(fc.constantFrom("a", "b")).map((names) => names.map(running)),
    },
    { requiredKeys: ["phase"] },
  );
  const foreign = ["example.com/gate"];
  await fc.assert(
    fc.asyncProperty(statuses, statuses, async (said, inApi) => {
      const cluster = new FakeCluster();
      const resourceClaimStatuses = [{ name: "gpu" }];
      const before = { ...inApi, resourceClaimStatuses } as unknown as Status;
      cluster.addPod("web", {});
      const pod = cluster.put("/api/v1/namespaces/default/pods", { metadata: { name: "web" }, status: { ...before } });
      const after = merged(said, before, { generation: 1, foreign });
      const body = { metadata: { uid: pod.metadata.uid }, status: podStatusPatch(after, before) };
      const client = cluster.clients({}, { clock: new VirtualClock() }).general;
      await client.patch("/api/v1/namespaces/default/pods/web/status", body);
      expect(comparable(writtenStatus(after, before))).toEqual(comparable(cluster.pod("web")?.status ?? {}));
    }),
  );
});

/** In one order, and without what is empty. */
function comparable({ conditions = [], ...rest }: Status): unknown {
  const said = Object.entries(rest).filter(([, value]) => value !== "" && !(Array.isArray(value) && !value.length));
  const sorted = conditions.toSorted((a, b) => (a.type < b.type ? -1 : 1));
  return [new Map(said.toSorted(([a], [b]) => (a < b ? -1 : 1))), sorted];
}
