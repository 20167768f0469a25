import { aPod } from "@hooklet/testkit";
import { describe, expect, test } from "@jest/globals";
import type { Volume } from "kubernetes-types/core/v1.js";
import { commonUser, volumePayload } from "../../../src/internal.js";
import { needKey, tokenRequest, volumeNeeds } from "../../../src/payload/needs.js";

const needs = (volume: Omit<Volume, "name">) => {
  const { objects, tokens, downward } = volumeNeeds({ name: "v", ...volume });
  return { objects: objects.map(needKey), tokens: tokens.map(({ path }) => path), downward };
};
const nothing = { objects: [], tokens: [], downward: false };

describe("what has to be had before a volume can be written", () => {
  test.each([
    { name: "the ConfigMap", volume: { configMap: { name: "x" } }, expected: { ...nothing, objects: ["ConfigMap/x"] } },
    { name: "the Secret", volume: { secret: { secretName: "x" } }, expected: { ...nothing, objects: ["Secret/x"] } },
    {
      name: "nothing for the downward API, which changes with the pod",
      volume: { downwardAPI: { items: [] } },
      expected: { ...nothing, downward: true },
    },
    {
      name: "all sources of a projected one, each object once",
      volume: {
        projected: {
          sources: [
            { configMap: { name: "x" } },
            { secret: { name: "x" } },
            { configMap: { name: "x", items: [{ key: "a", path: "again" }] } },
            { serviceAccountToken: { path: "token" } },
            { downwardAPI: { items: [] } },
          ],
        },
      },
      expected: { objects: ["ConfigMap/x", "Secret/x"], tokens: ["token"], downward: true },
    },
    { name: "nothing for a volume of another kind", volume: { emptyDir: {} }, expected: nothing },
    { name: "nothing for a projected one without sources", volume: { projected: {} as never }, expected: nothing },
    {
      name: "no object without a name",
      volume: { configMap: {} },
      expected: { ...nothing, objects: ["ConfigMap/"] },
    },
    {
      name: "no Secret without a name",
      volume: { projected: { sources: [{ secret: {} }] } },
      expected: { ...nothing, objects: ["Secret/"] },
    },
  ])("$name", ({ volume, expected }) => {
    expect(needs(volume)).toEqual(expected);
  });
});

describe("a token", () => {
  const pod = aPod({ name: "web", uid: "uid-1" });

  test("is bound to its pod, for an hour and for the API server by default", () => {
    expect(tokenRequest(pod, { path: "token" })).toEqual({
      audiences: [],
      expirationSeconds: 3600,
      boundObjectRef: { apiVersion: "v1", kind: "Pod", name: "web", uid: "uid-1" },
    });
  });

  test("is asked for with its audience and its life", () => {
    expect(tokenRequest(pod, { path: "token", audience: "vault", expirationSeconds: 600 })).toMatchObject({
      audiences: ["vault"],
      expirationSeconds: 600,
    });
  });

  test("goes to its own source, and a failure is reported", () => {
    const sources = ["a", "b"].map((path) => ({ serviceAccountToken: { path } }));
    const volume = { name: "v", projected: { sources } };
    const facts = { objects: new Map(), allocatable: {} };
    const files = volumePayload(pod, volume, { ...facts, tokens: ["one", "two"] });
    expect([...files].map(([path, { data }]) => `${path} ${data}`)).toEqual(["a one", "b two"]);
    expect(() => volumePayload(pod, volume, { ...facts, tokens: ["one", new Error("no such account")] })).toThrow(
      "no such account",
    );
    expect(() => volumePayload(pod, volume, { ...facts, tokens: ["one"] })).toThrow("there is no token");
  });

  test("belongs to the one user that all containers run as", () => {
    const volume = { name: "v", projected: { sources: [{ serviceAccountToken: { path: "token" } }] } };
    const facts = { objects: new Map(), allocatable: {}, tokens: ["T"] };
    const owned = { ...pod, spec: { ...pod.spec, securityContext: { runAsUser: 7 } } };
    expect(volumePayload(owned, volume, facts).get("token")).toEqual({ data: Buffer.from("T"), mode: 0o600, owner: 7 });
    expect(volumePayload(pod, volume, facts).get("token")).toEqual({ data: Buffer.from("T"), mode: 0o644 });
  });
});

describe("the user of a pod's files", () => {
  const container = (name: string, runAsUser?: number) => ({
    name,
    image: "app:1",
    ...(runAsUser !== undefined && { securityContext: { runAsUser } }),
  });

  test.each([
    { name: "the one of all its containers", spec: { containers: [container("a", 5), container("b", 5)] }, user: 5 },
    { name: "none where two differ", spec: { containers: [container("a", 5), container("b", 6)] }, user: undefined },
    {
      name: "none where an init container differs",
      spec: { initContainers: [container("i", 6)], containers: [container("a", 5)] },
      user: undefined,
    },
    {
      name: "the pod's where a container does not say",
      spec: { securityContext: { runAsUser: 5 }, containers: [container("a"), container("b", 5)] },
      user: 5,
    },
    {
      name: "the containers' own before the pod's",
      spec: { securityContext: { runAsUser: 5 }, containers: [container("a", 6)] },
      user: 6,
    },
    { name: "none by default", spec: { containers: [container("a")] }, user: undefined },
  ])("is $name", ({ spec, user }) => {
    expect(commonUser({ ...aPod(), spec })).toBe(user);
  });
});

test("several faults of a downward volume are one text, each once", () => {
  const items = ["status.podIP", "spec.none", "status.podIP"].map((fieldPath, index) => ({
    path: `p${index}`,
    fieldRef: { fieldPath },
  }));
  const read = () =>
    volumePayload(aPod(), { name: "v", downwardAPI: { items } }, { objects: new Map(), tokens: [], allocatable: {} });
  expect(read).toThrow("[unsupported fieldPath: status.podIP, unsupported fieldPath: spec.none]");
});
