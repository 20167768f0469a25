import { expect, test } from "@jest/globals";
import { ManifestError } from "../../src/error.js";
import { apiPod } from "../../src/identity.js";
import { type Identify, readManifest, readManifestObject, readObjects } from "../../src/manifest.js";
import { aPod } from "../pods.js";

const identify: Identify = (pod) => apiPod(pod, { nodeName: "node1", seen: 0, uid: "u" });
const lines = (...objects: object[]): string => objects.map((one) => JSON.stringify(one)).join("\n---\n");
const named = (name: string): object => aPod({}, { name });
const configMap = (more: object = {}): object => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "a" },
  ...more,
});
const secret = (more: object = {}): object => ({ apiVersion: "v1", kind: "Secret", metadata: { name: "a" }, ...more });

async function faultsOf(reading: Promise<unknown>): Promise<unknown> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof ManifestError) return error.faults;
    throw error;
  }
}

test("pods that are no text are read as their text would be", async () => {
  const list = { apiVersion: "v1", kind: "List", items: [named("a"), named("b")] };
  expect(readManifestObject(list, "a", identify)).toEqual(await readManifest(JSON.stringify(list), "a", identify));
});

test("faults of pods that are no text have no line", () => {
  const reading = (value: unknown): unknown => {
    try {
      return readManifestObject(value, "the plan", identify);
    } catch (error) {
      return error;
    }
  };
  expect(reading(aPod({ nodeNames: 1 }))).toMatchObject({
    message: 'the plan: unknown field "spec.nodeNames". Did you mean "nodeName"?',
    faults: [{ path: "spec.nodeNames", message: 'unknown field "spec.nodeNames". Did you mean "nodeName"?' }],
  });
  expect(reading(configMap())).toMatchObject({
    faults: [{ message: 'kind: Unsupported value: "ConfigMap": supported values: "List", "Pod", "PodList"' }],
  });
});

test("pods, ConfigMaps and Secrets may stand in one manifest, each under a name that is free among its kind", async () => {
  const { pods, objects } = await readObjects(lines(named("a"), configMap(), secret()), "a", identify);
  expect(pods.map(({ metadata }) => metadata.name)).toEqual(["a"]);
  expect(objects.map(({ kind, metadata }) => [kind, metadata.name])).toEqual([
    ["ConfigMap", "a"],
    ["Secret", "a"],
  ]);
});

test("a list of ConfigMaps or Secrets holds no other kind", async () => {
  const list = (kind: string, ...items: object[]): string => JSON.stringify({ apiVersion: "v1", kind, items });
  const bare = { metadata: { name: "a" } };
  const { objects } = await readObjects(list("SecretList", bare), "a", identify);
  expect(objects.map(({ kind }) => kind)).toEqual(["Secret"]);
  expect(await faultsOf(readObjects(list("ConfigMapList", bare, secret()), "a", identify))).toEqual([
    { line: 1, message: 'items[1]: kind: Unsupported value: "Secret": supported values: "ConfigMap"' },
  ]);
});

test.each<[string, object[], object[]]>([
  [
    "a second ConfigMap of a name",
    [configMap(), configMap()],
    [{ line: 3, path: "metadata.name", message: "a second ConfigMap default/a in the same manifest" }],
  ],
  ["the same name in another namespace", [configMap(), configMap({ metadata: { name: "a", namespace: "b" } })], []],
  [
    "two pods without a name, which are one fault each",
    [named(""), named("")],
    [1, 3].map((line) => ({ line, path: "metadata.name", message: 'Pod "": metadata.name: Required value' })),
  ],
  [
    "a fault of one of several objects, which is named",
    [named("b"), configMap({ data: { a: 1 } })],
    [
      {
        line: 3,
        path: "data[a]",
        message: 'ConfigMap "a": data[a]: Invalid value: 1: must be a string (put it in quotes)',
      },
    ],
  ],
  [
    "a value of a Secret, which is not shown",
    [secret({ stringData: { a: 12345 } })],
    [
      {
        line: 1,
        path: "stringData[a]",
        message: 'stringData[a]: Invalid value: "": must be a string (put it in quotes)',
      },
    ],
  ],
])("%s", async (_name, objects, expected) => {
  const outcome = await faultsOf(readObjects(lines(...objects), "a", identify));
  if (expected.length === 0) expect(outcome).toHaveProperty("objects");
  else expect(outcome).toEqual(expected);
});

test("200 faults are shown, and then that there are more", async () => {
  const pods = (count: number): string =>
    lines(...Array.from({ length: count }, (_, i) => aPod({ nodeNames: 1 }, { name: `p${i}` })));
  expect(await faultsOf(readManifest(pods(200), "a", identify))).toHaveLength(200);
  const faults = (await faultsOf(readManifest(pods(202), "a", identify))) as readonly object[];
  expect(faults).toHaveLength(201);
  expect(faults.at(-1)).toEqual({ message: "and more faults in other pods" });
});

test("100 faults of one pod are shown, and how many more there are", async () => {
  const spec = Object.fromEntries(Array.from({ length: 103 }, (_, i) => [`field${i}`, 1]));
  const faults = (await faultsOf(readManifest(lines(aPod(spec)), "a", identify))) as readonly object[];
  expect(faults).toHaveLength(101);
  expect(faults.at(-1)).toEqual({ message: "and 3 more faults" });
});
