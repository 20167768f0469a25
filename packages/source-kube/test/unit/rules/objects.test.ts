/** Where objects lie, and which ones a pod refers to. */
import { aPod } from "@hooklet/testkit";
import { describe, expect, test } from "@jest/globals";
import { paths } from "../../../src/client/paths.js";
import { referencesOf } from "../../../src/objects/references.js";

test("what an object is called cannot lead out of its place in the API", () => {
  const odd = { namespace: "../kube-system", name: "a/b?c" };
  const name = "a%2Fb%3Fc";
  expect([
    paths.node("a/b?c"),
    paths.lease("a/b?c"),
    paths.pods(odd.namespace),
    paths.pod(odd),
    paths.events(odd.namespace),
    paths.event(odd),
    paths.configMaps(odd.namespace),
    paths.secrets(odd.namespace),
    paths.token(odd),
    paths.certificateSigningRequest("a/b?c"),
  ]).toEqual([
    `/api/v1/nodes/${name}`,
    `/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/${name}`,
    "/api/v1/namespaces/..%2Fkube-system/pods",
    `/api/v1/namespaces/..%2Fkube-system/pods/${name}`,
    "/api/v1/namespaces/..%2Fkube-system/events",
    `/api/v1/namespaces/..%2Fkube-system/events/${name}`,
    "/api/v1/namespaces/..%2Fkube-system/configmaps",
    "/api/v1/namespaces/..%2Fkube-system/secrets",
    `/api/v1/namespaces/..%2Fkube-system/serviceaccounts/${name}/token`,
    `/apis/certificates.k8s.io/v1/certificatesigningrequests/${name}`,
  ]);
});

describe("a pod refers to", () => {
  const found = (spec: object) =>
    referencesOf(aPod({ spec: spec as never })).map(
      ({ kind, name, followed }) => `${kind} ${name}${followed ? " followed" : ""}`,
    );
  const withContainers = (parts: object) =>
    referencesOf({ ...aPod(), spec: { containers: [{ name: "c" }], ...parts } as never }).map(
      ({ kind, name, followed }) => `${kind} ${name}${followed ? " followed" : ""}`,
    );

  test("the objects of its volumes, which are followed", () => {
    const volumes = [
      { name: "a", configMap: { name: "map" } },
      { name: "b", secret: { secretName: "key" } },
      {
        name: "c",
        projected: { sources: [{ configMap: { name: "map2" } }, { secret: { name: "key2" } }, { downwardAPI: {} }] },
      },
      { name: "d", projected: {} },
      { name: "e", emptyDir: {} },
    ];
    expect(found({ volumes })).toEqual([
      "ConfigMap map followed",
      "Secret key followed",
      "ConfigMap map2 followed",
      "Secret key2 followed",
    ]);
  });

  test("the objects of the variables of all its containers, which are read once", () => {
    const of = (name: string) => [
      {
        name,
        env: [
          { name: "A", valueFrom: { configMapKeyRef: { name: `${name}-map`, key: "k" } } },
          { name: "B", valueFrom: { secretKeyRef: { name: `${name}-key`, key: "k" } } },
          { name: "C", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
          { name: "D", value: "d" },
        ],
        envFrom: [{ configMapRef: { name: `${name}-all` } }, { secretRef: { name: `${name}-secrets` } }, {}],
      },
    ];
    const parts = { initContainers: of("init"), containers: of("main"), ephemeralContainers: of("debug") };
    expect(withContainers(parts)).toEqual(
      ["init", "main", "debug"].flatMap((name) => [
        `ConfigMap ${name}-map`,
        `Secret ${name}-key`,
        `ConfigMap ${name}-all`,
        `Secret ${name}-secrets`,
      ]),
    );
  });

  test("the secrets with which its images are pulled", () => {
    expect(found({ imagePullSecrets: [{ name: "login" }, {}, { name: "" }] })).toEqual(["Secret login"]);
  });

  test("each object once, and it is followed where one reference is; kinds do not mix", () => {
    const env = [
      { name: "A", valueFrom: { configMapKeyRef: { name: "x", key: "k" } } },
      { name: "B", valueFrom: { secretKeyRef: { name: "x", key: "k" } } },
    ];
    const volumes = [{ name: "v", configMap: { name: "x" } }];
    expect(withContainers({ containers: [{ name: "c", env }], volumes })).toEqual(["ConfigMap x followed", "Secret x"]);
  });

  test("nothing, where it names nothing", () => {
    expect(withContainers({})).toEqual([]);
  });
});
