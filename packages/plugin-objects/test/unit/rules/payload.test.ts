import { aContainer, aPod } from "@hooklet/testkit";
import { describe, expect, test } from "@jest/globals";
import type { ConfigMap, Secret, Volume } from "kubernetes-types/core/v1.js";
import { volumePayload } from "../../../src/internal.js";

const base64 = (text: string): string => Buffer.from(text).toString("base64");
const pod = aPod({
  name: "web",
  labels: { app: "web", a: 'say "hi"\n' },
  containers: [{ limits: { cpu: "1500m", memory: "64Mi" } }],
});

function files(
  volume: Omit<Volume, "name">,
  objects: Record<string, ConfigMap | Secret | Error> = {},
  tokens: (string | Error)[] = [],
  of = pod,
) {
  const facts = { objects: new Map(Object.entries(objects)), tokens, allocatable: { cpu: 4000, memory: 1024 } };
  const payload = volumePayload(of, { name: "v", ...volume }, facts);
  return Object.fromEntries([...payload].map(([path, { data, mode }]) => [path, `${mode.toString(8)} ${data}`]));
}

const configMap: ConfigMap = { data: { a: "1", b: "2" }, binaryData: { c: base64("3") } };
const secret: Secret = { data: { a: base64("s1"), b: base64("s2") } };

describe("files of a volume", () => {
  test.each([
    {
      name: "all keys of a ConfigMap, binary ones decoded",
      volume: { configMap: { name: "x" } },
      expected: { a: "644 1", b: "644 2", c: "644 3" },
    },
    {
      name: "items alone, with their modes",
      volume: {
        configMap: {
          name: "x",
          defaultMode: 0o400,
          items: [
            { key: "a", path: "dir/one" },
            { key: "c", path: "two", mode: 0o444 },
          ],
        },
      },
      expected: { "dir/one": "400 1", two: "444 3" },
    },
    {
      name: "a Secret is decoded",
      volume: { secret: { secretName: "x", defaultMode: 0o440 } },
      expected: { a: "440 s1", b: "440 s2" },
    },
    {
      name: "what is optional and not there leaves nothing",
      volume: { configMap: { name: "none", optional: true } },
      expected: {},
    },
    {
      name: "an optional key that is not there is left out",
      volume: {
        secret: {
          secretName: "x",
          optional: true,
          items: [
            { key: "no", path: "no" },
            { key: "a", path: "a" },
          ],
        },
      },
      expected: { a: "644 s1" },
    },
    {
      name: "the downward API: fields, maps as quoted lines, resources by divisor, limits of the node where none is set",
      volume: {
        downwardAPI: {
          items: [
            { path: "name", fieldRef: { fieldPath: "metadata.name" } },
            { path: "labels", fieldRef: { fieldPath: "metadata.labels" }, mode: 0o400 },
            { path: "label", fieldRef: { fieldPath: "metadata.labels['app']" } },
            { path: "cpu", resourceFieldRef: { containerName: "main", resource: "limits.cpu", divisor: "1" } },
            { path: "memory", resourceFieldRef: { containerName: "main", resource: "limits.memory", divisor: "1Mi" } },
            { path: "disk", resourceFieldRef: { containerName: "main", resource: "requests.ephemeral-storage" } },
          ],
        },
      },
      expected: {
        name: "644 web",
        labels: '400 a="say \\"hi\\"\\n"\napp="web"',
        label: "644 web",
        cpu: "644 2",
        memory: "644 64",
        disk: "644 0",
      },
    },
    {
      name: "a projected volume: a later source wins",
      volume: {
        projected: {
          defaultMode: 0o600,
          sources: [
            { configMap: { name: "x" } },
            { secret: { name: "x", items: [{ key: "a", path: "b" }] } },
            { serviceAccountToken: { path: "token" } },
          ],
        },
      },
      expected: { a: "600 1", b: "600 s1", c: "600 3", token: "600 TOKEN" },
    },
  ])("$name", ({ volume, expected }) => {
    expect(files(volume, { "ConfigMap/x": configMap, "Secret/x": secret }, ["TOKEN"])).toEqual(expected);
  });

  test.each([
    {
      name: "a ConfigMap that is not there",
      volume: { configMap: { name: "none" } },
      text: 'configmap "none" not found',
    },
    { name: "a Secret that is not there", volume: { secret: { secretName: "none" } }, text: 'secret "none" not found' },
    {
      name: "a key of a ConfigMap",
      volume: { configMap: { name: "x", items: [{ key: "no", path: "p" }] } },
      text: "configmap references non-existent config key: no",
    },
    {
      name: "a key of a Secret",
      volume: { secret: { secretName: "x", items: [{ key: "no", path: "p" }] } },
      text: "references non-existent secret key: no",
    },
    {
      name: "all faults of a projected volume",
      volume: { projected: { sources: [{ configMap: { name: "n" } }, { secret: { name: "n" } }] } },
      text: '[configmap "n" not found, secret "n" not found]',
    },
    {
      name: "a source without a provider",
      volume: { projected: { sources: [{ clusterTrustBundle: { path: "p" } } as never] } },
      text: "projected volumes of clusterTrustBundle are not supported by hooklet",
    },
    { name: "what could not be read", volume: { configMap: { name: "away" } }, text: "the API server is away" },
  ])("$name is an error that names it", ({ volume, text }) => {
    const objects = {
      "ConfigMap/x": configMap,
      "Secret/x": secret,
      "ConfigMap/away": new Error("the API server is away"),
    };
    expect(() => files(volume, objects)).toThrow(new Error(text));
  });

  test.each([
    { name: "the volume's mode without an fsGroup or a user", spec: {}, containers: [{}], mode: "644" },
    {
      name: "its owner's alone with an fsGroup",
      spec: { securityContext: { fsGroup: 7 } },
      containers: [{}],
      mode: "600",
    },
  ])("a token has $name", ({ spec, containers, mode }) => {
    const of = aPod({ spec, containers: containers.map(aContainer) });
    const volume = { projected: { sources: [{ serviceAccountToken: { path: "token" } }] } };
    expect(files(volume, {}, ["T"], of)).toEqual({ token: `${mode} T` });
  });
});
