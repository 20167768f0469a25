/** Environment from ConfigMaps and Secrets, in the kubelet's words. */
import type { Container } from "@hooklet/manifest";
import { describe, expect, test } from "@jest/globals";
import { containerEnv, type EnvValues } from "../../../../src/pod/spec/env.js";
import { aContainer, aPod } from "../../../pod/pods.js";

const objects: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "ConfigMap/app": { COLOR: "blue", SIZE: "1", "a.b": "$(COLOR)" },
  "ConfigMap/more": { SIZE: "2" },
  "Secret/login": { user: "me" },
};

const values: EnvValues = {
  get: (kind, name) => objects[`${kind}/${name}`],
  services: { DB_SERVICE_HOST: "10.0.0.7", COLOR: "of a service" },
};

function envOf(parts: Partial<Container>): Record<string, string> {
  const container = aContainer("main", parts);
  const facts = { nodeName: "node1", hostIp: "192.0.2.1", podIps: ["10.0.0.1"], allocatable: {}, values };
  return Object.fromEntries(containerEnv(aPod({ containers: [container] }), container, facts));
}

describe("values from elsewhere", () => {
  test("envFrom in order, with its prefix; the later one wins, and the container's own over all; services below", () => {
    const env = envOf({
      envFrom: [
        { configMapRef: { name: "app" } },
        { configMapRef: { name: "more" } },
        { prefix: "L_", secretRef: { name: "login" } },
      ],
      env: [{ name: "COLOR", value: "red, was $(COLOR), at $(DB_SERVICE_HOST)" }],
    });
    expect(env).toEqual({
      COLOR: "red, was blue, at 10.0.0.7",
      SIZE: "2",
      "a.b": "$(COLOR)",
      L_user: "me",
      DB_SERVICE_HOST: "10.0.0.7",
    });
  });

  test("a key is not expanded", () => {
    const valueFrom = { configMapKeyRef: { name: "app", key: "a.b" } };
    expect(envOf({ env: [{ name: "RAW", valueFrom }] }).RAW).toBe("$(COLOR)");
  });

  test.each([
    { name: "no such ConfigMap", from: { configMapKeyRef: { name: "x", key: "k" } }, words: 'configmap "x" not found' },
    { name: "no such Secret", from: { secretKeyRef: { name: "x", key: "k" } }, words: 'secret "x" not found' },
    {
      name: "no such key",
      from: { configMapKeyRef: { name: "app", key: "k" } },
      words: "couldn't find key k in ConfigMap default/app",
    },
    {
      name: "no such key of a Secret",
      from: { secretKeyRef: { name: "login", key: "k" } },
      words: "couldn't find key k in Secret default/login",
    },
  ])("$name keeps the container from being created, unless it is optional", ({ from, words }) => {
    expect(() => envOf({ env: [{ name: "A", valueFrom: from }] })).toThrow(words);
    const optional = Object.fromEntries(Object.entries(from).map(([kind, ref]) => [kind, { ...ref, optional: true }]));
    expect(envOf({ env: [{ name: "A", valueFrom: optional }] })).not.toHaveProperty("A");
  });

  test("a whole object that is not there: the same", () => {
    expect(() => envOf({ envFrom: [{ secretRef: { name: "x" } }] })).toThrow('secret "x" not found');
    expect(envOf({ envFrom: [{ secretRef: { name: "x", optional: true } }] })).toEqual(values.services);
  });
});
