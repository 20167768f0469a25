import { expect, test } from "@jest/globals";
import { aContainer, aPod, messagesOf } from "../../pods.js";

const C = "spec.containers[0]";
const API = "not supported by hooklet without an API server";

test.each<[string, object, string]>([
  [
    "a configMap volume",
    aPod({ volumes: [{ name: "v", configMap: { name: "x" } }] }),
    `spec.volumes[0].configMap: Forbidden: ${API}`,
  ],
  ["a secret volume", aPod({ volumes: [{ name: "v", secret: {} }] }), `spec.volumes[0].secret: Forbidden: ${API}`],
  [
    "a claim",
    aPod({ volumes: [{ name: "v", persistentVolumeClaim: { claimName: "c" } }] }),
    `spec.volumes[0].persistentVolumeClaim: Forbidden: ${API}`,
  ],
  [
    "an nfs volume",
    aPod({ volumes: [{ name: "v", nfs: { path: "/" } }] }),
    "spec.volumes[0].nfs: Forbidden: not supported by hooklet",
  ],
  [
    "env from a configMap",
    aContainer({ envFrom: [{ configMapRef: { name: "x" } }] }),
    `${C}.envFrom: Forbidden: ${API}`,
  ],
  [
    "env from a secret's key",
    aContainer({ env: [{ name: "A", valueFrom: { secretKeyRef: { name: "a", key: "b" } } }] }),
    `${C}.env[0].valueFrom.secretKeyRef: Forbidden: ${API}`,
  ],
  ["a service account", aPod({ serviceAccountName: "robot" }), `spec.serviceAccountName: Forbidden: ${API}`],
  ["pull secrets", aPod({ imagePullSecrets: [{ name: "a" }] }), `spec.imagePullSecrets: Forbidden: ${API}`],
  [
    "an ephemeral container",
    aPod({ ephemeralContainers: [{ name: "a" }] }),
    `spec.ephemeralContainers: Forbidden: ${API}`,
  ],
  ["resource claims", aPod({ resourceClaims: [{ name: "a" }] }), `spec.resourceClaims: Forbidden: ${API}`],
  ["a runtime class", aPod({ runtimeClassName: "kata" }), `spec.runtimeClassName: Forbidden: ${API}`],
  ["a user namespace", aPod({ hostUsers: false }), "spec.hostUsers: Forbidden: not supported by hooklet"],
  [
    "a tcpSocket lifecycle handler",
    aContainer({ lifecycle: { preStop: { exec: { command: ["a"] }, tcpSocket: { port: 1 } } } }),
    `${C}.lifecycle.preStop.tcpSocket: Forbidden: never was supported as a lifecycle handler; use exec, httpGet or sleep`,
  ],
  ["finalizers", aPod({}, { finalizers: ["a/b"] }), `metadata.finalizers: Forbidden: ${API}`],
  ["a misspelt field", aPod({ containrs: [] }), 'unknown field "spec.containrs". Did you mean "containers"?'],
  ["a field like nothing known", aPod({ zzzzzz: 1 }), 'unknown field "spec.zzzzzz"'],
  ["a field at the top", { ...aPod(), data: {} }, 'unknown field "data"'],
  [
    "a name of JavaScript's own",
    JSON.parse(JSON.stringify(aPod()).replace('"spec":{', '"spec":{"__proto__":{"a":1},')) as object,
    'unknown field "spec.__proto__"',
  ],
])("%s is refused by its path, never ignored", async (_name, manifest, message) => {
  expect(await messagesOf(manifest)).toEqual([message]);
});

test.each<[string, object]>([
  [
    "what kubectl get prints",
    {
      ...aPod(
        {},
        {
          creationTimestamp: null,
          resourceVersion: "1",
          generation: 1,
          managedFields: [{}],
          selfLink: "/x",
          generateName: "web-",
        },
      ),
      status: { phase: "Running" },
    },
  ],
  ["nulls and empty lists", aPod({ imagePullSecrets: [], ephemeralContainers: null, volumes: null, nodeName: null })],
  ["defaults that are written out", aPod({ serviceAccountName: "default", hostUsers: true, runtimeClassName: "" })],
  [
    "what only a scheduler reads",
    aPod({
      schedulerName: "x",
      priorityClassName: "system-node-critical",
      topologySpreadConstraints: [{ maxSkew: 1 }],
      affinity: { podAffinity: {} },
    }),
  ],
  [
    "a sidecar with probes",
    aPod({
      initContainers: [
        { name: "s", image: "i", restartPolicy: "Always", readinessProbe: { exec: { command: ["a"] } } },
      ],
    }),
  ],
  ["a pod for another system, which the node refuses later", aPod({ os: { name: "windows" } })],
])("%s does no harm", async (_name, manifest) => {
  expect(await messagesOf(manifest)).toEqual([]);
});

test("a value of the wrong type is one fault, not two", async () => {
  expect(await messagesOf(aPod({ containers: [{ name: 5, image: "i", ports: {} }], volumes: "x" }))).toEqual([
    'spec.volumes: Invalid value: "x": must be a list',
    `${C}.name: Invalid value: 5: must be a string (put it in quotes)`,
    `${C}.ports: Invalid value: "": must be a list`,
  ]);
});

test("a flood of faults is cut", async () => {
  const messages = await messagesOf(aContainer({ env: Array(1_000).fill({}) }));
  expect(messages).toHaveLength(101);
  expect(messages.at(-1)).toBe("and 900 more faults");
});
