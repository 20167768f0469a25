import { expect, test } from "@jest/globals";
import fc from "fast-check";
import type { Pod } from "kubernetes-types/core/v1.js";
import { apiPod, staticPod, timestamp } from "../../src/identity.js";
import { readManifest } from "../../src/manifest.js";
import { aPod, yamlPod } from "../pods.js";

const origin = {
  source: "file",
  where: "/m/a.yaml",
  nodeName: "Node1",
  seen: Date.UTC(2026, 10, 21, 9, 54, 23, 889),
} as const;
const uidOf = async (text: string, more: object = {}): Promise<string | undefined> => {
  const [pod] = await readManifest(text, "a", (one) => staticPod(one, { ...origin, ...more }));
  return pod?.metadata.uid;
};

test("a pod of a file is named after the node, bound to it, marked and tolerant as a kubelet makes it", () => {
  const pod = staticPod(aPod({}, { annotations: { note: "y", "kubernetes.io/config.hash": "stale" } }) as Pod, origin);
  const { uid } = pod.metadata;
  expect(uid).toMatch(/^[0-9a-f]{32}$/);
  expect(pod.metadata).toEqual({
    name: "web-node1",
    namespace: "default",
    uid,
    annotations: {
      note: "y",
      "kubernetes.io/config.hash": uid,
      "kubernetes.io/config.seen": "2026-11-21T09:54:23.889000000Z",
      "kubernetes.io/config.source": "file",
    },
  });
  expect(pod.spec).toMatchObject({ nodeName: "Node1", tolerations: [{ operator: "Exists", effect: "NoExecute" }] });
});

test("a pod of a URL gets no toleration", () => {
  const pod = staticPod(aPod() as Pod, { ...origin, source: "http", where: "http://x/" });
  expect(pod.spec.tolerations).toBeUndefined();
  expect(pod.metadata.annotations?.["kubernetes.io/config.source"]).toBe("http");
});

test("a toleration that is there is not added again", () => {
  const tolerations = [{ operator: "Exists", effect: "NoExecute" }];
  expect(staticPod(aPod({ tolerations }) as Pod, origin).spec.tolerations).toEqual(tolerations);
});

test("the uid is the same for the same manifest, however it is written and whenever it is seen", async () => {
  const uid = await uidOf(yamlPod("a"));
  expect(await uidOf(yamlPod("a"), { seen: 5 })).toBe(uid);
  expect(await uidOf(`# a comment\n${yamlPod("a")}`)).toBe(uid);
  expect(
    await uidOf(
      '{"kind":"Pod","spec":{"containers":[{"image":"host","name":"main"}]},"metadata":{"name":"a"},"apiVersion":"v1"}',
    ),
  ).toBe(uid);
  expect(await uidOf(`${yamlPod("a")}  restartPolicy: Always\n`)).toBe(uid);
});

test.each<[string, string, object]>([
  ["a changed manifest", `${yamlPod("a")}    args: [x]\n`, {}],
  ["another name", yamlPod("b"), {}],
  ["another place", yamlPod("a"), { where: "/m/b.yaml" }],
  ["another node", yamlPod("a"), { nodeName: "node2" }],
  ["a URL in place of a file", yamlPod("a"), { source: "http" }],
])("%s makes another uid", async (_name, text, more) => {
  expect(await uidOf(text, more)).not.toBe(await uidOf(yamlPod("a")));
});

test("the uid is a function of the manifest's content alone", async () => {
  const map = fc.dictionary(fc.stringMatching(/^[a-z]{1,5}$/), fc.stringMatching(/^[a-z]{0,5}$/));
  await fc.assert(
    fc.asyncProperty(map, map, async (a, b) => {
      const text = (labels: object): string => JSON.stringify(aPod({}, { labels }));
      const shuffled = Object.fromEntries(Object.entries(a).reverse());
      expect(await uidOf(text(shuffled))).toBe(await uidOf(text(a)));
      const same = JSON.stringify(Object.entries(a).sort()) === JSON.stringify(Object.entries(b).sort());
      // No labels and an empty map of labels may differ.
      if (Object.keys(a).length > 0) expect((await uidOf(text(b))) === (await uidOf(text(a)))).toBe(same);
    }),
  );
});

test("a uid of the manifest's own is kept", () => {
  const pod = staticPod(aPod({}, { uid: "my-own-1" }) as Pod, origin);
  expect(pod.metadata.uid).toBe("my-own-1");
  expect(pod.metadata.annotations?.["kubernetes.io/config.hash"]).toBe("my-own-1");
});

test("an applied pod keeps its name and gets the given uid", () => {
  const pod = apiPod(aPod({}, { namespace: "team" }) as Pod, { nodeName: "node1", seen: 1_000, uid: "u" });
  expect(pod.metadata).toMatchObject({
    uid: "u",
    name: "web",
    namespace: "team",
    creationTimestamp: "1970-01-01T00:00:01Z",
    annotations: { "kubernetes.io/config.source": "api", "kubernetes.io/config.seen": timestamp(1_000) },
  });
  expect(pod.metadata.annotations).not.toHaveProperty("kubernetes.io/config.hash");
  expect(pod.spec.tolerations).toBeUndefined();
});

test.each([
  { name: "system-node-critical", spec: { priorityClassName: "system-node-critical" }, priority: 2_000_001_000 },
  { name: "system-cluster-critical", spec: { priorityClassName: "system-cluster-critical" }, priority: 2_000_000_000 },
  { name: "a class that only a cluster knows", spec: { priorityClassName: "gold" }, priority: undefined },
  { name: "a number of its own", spec: { priorityClassName: "system-node-critical", priority: 7 }, priority: 7 },
])("an applied pod of class $name has priority $priority", ({ spec, priority }) => {
  const pod = apiPod(aPod(spec) as Pod, { nodeName: "node1", seen: 1_000, uid: "u" });
  expect(pod.spec.priority).toBe(priority);
});
