import { expect, test } from "@jest/globals";
import { aPod } from "../../../server/test/samples.js";
import type { AgentClient } from "../../src/client/agent-client.js";
import { chosenContainer, defaultContainer, objectName, podName, podsNamed, singular } from "../../src/pod-argument.js";
import { fakeIo } from "../cli.js";

test.each([
  ["pod", ["po", "pod", "pods", "Pods", "PO"]],
  ["configmap", ["cm", "configmap", "configmaps", "ConfigMap"]],
  ["secret", ["secret", "secrets", "Secret"]],
  ["nodes", ["nodes", "NODES"]],
])("the kind %s is written %j", (kind, words) => expect(words.map(singular)).toEqual(words.map(() => kind)));

test.each(["web", "pod/web", "po/web", "pods/web"])("%s names the pod web", (word) =>
  expect(podName(word)).toBe("web"),
);

test.each(["node/web", "pod/", "pod/web/main", "/web"])("%s names no pod", (word) => {
  expect(() => podName(word)).toThrow(`pod: expected NAME or pod/NAME, found "${word}"`);
});

test("the name of a ConfigMap is no path", () => {
  expect(objectName("ConfigMap", "a")).toBe("a");
  expect(() => objectName("ConfigMap", "a/b")).toThrow('configmap: expected NAME, found "a/b"');
  expect(() => objectName("Secret", "")).toThrow('secret: expected NAME, found ""');
});

test.each<[readonly string[], readonly string[]]>([
  [["web"], ["web"]],
  [["web-node1"], ["web-node1"]],
  [["db"], ["db-node1"]],
  [
    ["db", "web"],
    ["web", "db-node1"],
  ],
  [["web-node2", "we"], []],
])("%j means %j: a pod by its name, else by its name without the suffix of the node", (names, meant) => {
  const pods = ["web", "web-node1", "db-node1"].map((name) => aPod(name));
  expect(podsNamed(pods, names).map(({ metadata }) => metadata.name)).toEqual(meant);
});

const annotations = { "kubectl.kubernetes.io/default-container": "b" };
const two = { containers: [{ name: "a" }, { name: "b" }], initContainers: [{ name: "prep" }] };

test("the annotated container is meant, else the first", () => {
  expect(chosenContainer(aPod("web", { spec: two, metadata: { annotations } }))).toBe("b");
  expect(chosenContainer(aPod("web", { spec: two }))).toBe("a");
  expect(chosenContainer(aPod("web", { spec: { containers: [] } }))).toBe("");
});

test.each([
  ["one that is asked for", "prep", aPod("web", { spec: two }), "prep", ""],
  ["the only one", undefined, aPod("web"), "main", ""],
  [
    "the first of several, which is said",
    undefined,
    aPod("web", { spec: two }),
    "a",
    'Defaulted container "a" out of: a, b, prep\n',
  ],
  ["the annotated one, without a word", undefined, aPod("web", { spec: two, metadata: { annotations } }), "b", ""],
])("a container by default: %s", async (_name, asked, pod, expected, said) => {
  const io = fakeIo();
  const client = { pod: async () => pod } as unknown as AgentClient;
  expect(await defaultContainer(client, io, { name: "web", namespace: "default" }, asked)).toBe(expected);
  expect(io.stderr.text).toBe(said);
});
