import { readFileSync } from "node:fs";
import { describe, expect, test } from "@jest/globals";
import type { Pod } from "kubernetes-types/core/v1.js";
import { defaultPod, defaultProbe } from "../../src/defaults.js";
import { aContainer, aPod, readOne } from "../pods.js";

interface Golden {
  readonly manifest: Pod & { readonly metadata: { readonly name: string } };
  readonly spec: object;
  readonly metadata: { readonly annotations: object; readonly labels?: object };
}
const golden = JSON.parse(readFileSync(new URL("../golden/static-pods.json", import.meta.url), "utf8")) as Golden[];

describe("what a kubelet 1.33 showed for its static pods", () => {
  test.each(golden.map((pod) => [pod.manifest.metadata.name, pod] as const))(
    "%s",
    async (_name, { manifest, spec, metadata }) => {
      const pod = await readOne(manifest);
      expect(pod.spec).toEqual(spec);
      expect(Object.keys(pod.metadata.annotations ?? {}).sort()).toEqual(Object.keys(metadata.annotations));
      expect(pod.metadata.labels).toEqual(metadata.labels);
    },
  );
});

test.each([
  ["busybox", "Always"],
  ["busybox:latest", "Always"],
  ["registry:5000/busybox", "Always"],
  ["busybox:1.36", "IfNotPresent"],
  ["registry:5000/busybox:1", "IfNotPresent"],
  [`busybox@sha256:${"a".repeat(64)}`, "IfNotPresent"],
  [`busybox:latest@sha256:${"a".repeat(64)}`, "Always"],
])("image %s is pulled %s", async (image, policy) => {
  expect((await readOne(aContainer({ image }))).spec.containers[0]?.imagePullPolicy).toBe(policy);
});

test("requests follow limits where they are not set", async () => {
  const pod = await readOne(
    aContainer({ resources: { limits: { cpu: 1, memory: "1024Mi" }, requests: { cpu: 0.5 } } }),
  );
  expect(pod.spec.containers[0]?.resources).toEqual({
    limits: { cpu: "1", memory: "1Gi" },
    requests: { cpu: "500m", memory: "1Gi" },
  });
});

test("pod-level requests follow what the containers ask for, else the pod's limits", async () => {
  const pod = await readOne(
    aPod({
      resources: { limits: { cpu: "2", memory: "1Gi" } },
      containers: [{ name: "a", image: "i", resources: { requests: { cpu: "100m" } } }],
    }),
  );
  expect(pod.spec).toMatchObject({ resources: { requests: { cpu: "100m", memory: "1Gi" } } });
});

test("on the host network a container's port is the node's", async () => {
  const pod = await readOne(
    aPod({ hostNetwork: true, containers: [{ name: "a", image: "i", ports: [{ containerPort: 80 }] }] }),
  );
  expect(pod.spec.containers[0]?.ports).toEqual([{ containerPort: 80, hostPort: 80, protocol: "TCP" }]);
});

test("handlers, env and volumes get what is implied", async () => {
  const pod = await readOne(
    aPod({
      volumes: [{ name: "a" }, { name: "b", hostPath: { path: "/b" } }],
      containers: [
        {
          name: "a",
          image: "i",
          env: [
            { name: "N", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
            { name: "R", valueFrom: { resourceFieldRef: { resource: "limits.cpu" } } },
          ],
          livenessProbe: { httpGet: { port: 80 }, periodSeconds: 0 },
          readinessProbe: { grpc: { port: 80 } },
          lifecycle: { preStop: { httpGet: { port: "http", path: "/bye" } } },
        },
      ],
    }),
  );
  expect(pod.spec.volumes).toEqual([
    { name: "a", emptyDir: {} },
    { name: "b", hostPath: { path: "/b", type: "" } },
  ]);
  expect(pod.spec.containers[0]).toMatchObject({
    env: [
      { name: "N", valueFrom: { fieldRef: { apiVersion: "v1", fieldPath: "metadata.name" } } },
      { name: "R", valueFrom: { resourceFieldRef: { resource: "limits.cpu", divisor: "0" } } },
    ],
    livenessProbe: { httpGet: { port: 80, path: "/", scheme: "HTTP" }, periodSeconds: 10, timeoutSeconds: 1 },
    readinessProbe: { grpc: { port: 80, service: "" }, successThreshold: 1, failureThreshold: 3 },
    lifecycle: { preStop: { httpGet: { port: "http", path: "/bye", scheme: "HTTP" } } },
  });
});

test("negative thresholds are not defaulted: the validation is to find them", () => {
  expect(defaultProbe({ periodSeconds: -1, failureThreshold: 0 })).toMatchObject({
    periodSeconds: -1,
    failureThreshold: 3,
  });
});

test("the given pod is not changed, and defaulting twice changes nothing", () => {
  const pod = aPod({ volumes: [{ name: "a" }] }) as Pod;
  const before = structuredClone(pod);
  const once = defaultPod(pod);
  expect(pod).toEqual(before);
  expect(defaultPod(once)).toEqual(once);
});

test("the files of a downwardAPI volume come from fields of v1, and amounts are counted one by one", () => {
  const items = [
    { path: "name", fieldRef: { fieldPath: "metadata.name" } },
    { path: "cpu", resourceFieldRef: { containerName: "main", resource: "limits.cpu" } },
  ];
  const volumes = [
    { name: "told", downwardAPI: { items } },
    { name: "empty", downwardAPI: {} },
  ];
  const { spec } = defaultPod({ metadata: {}, spec: { containers: [], volumes } } as Parameters<typeof defaultPod>[0]);
  expect(spec?.volumes?.map(({ downwardAPI }) => downwardAPI)).toEqual([
    {
      defaultMode: 0o644,
      items: [
        { path: "name", fieldRef: { apiVersion: "v1", fieldPath: "metadata.name" } },
        { path: "cpu", resourceFieldRef: { containerName: "main", resource: "limits.cpu", divisor: "0" } },
      ],
    },
    { defaultMode: 0o644 },
  ]);
});

const volumesOf = (...volumes: object[]): unknown =>
  defaultPod({ spec: { containers: [], volumes: volumes.map((one) => ({ name: "v", ...one })) } } as Pod).spec?.volumes;

test.each<[string, object, object]>([
  ["a volume of no kind is an emptyDir", {}, { emptyDir: {} }],
  ["an emptyDir stays", { emptyDir: { medium: "Memory" } }, { emptyDir: { medium: "Memory" } }],
  ["a claim stays", { persistentVolumeClaim: { claimName: "a" } }, { persistentVolumeClaim: { claimName: "a" } }],
  ["csi stays", { csi: { driver: "a" } }, { csi: { driver: "a" } }],
  ["an ephemeral volume stays", { ephemeral: {} }, { ephemeral: {} }],
  [
    "a path of the node keeps its type",
    { hostPath: { path: "/a", type: "File" } },
    { hostPath: { path: "/a", type: "File" } },
  ],
  [
    "files of a ConfigMap have mode 0644",
    { configMap: { name: "a" } },
    { configMap: { name: "a", defaultMode: 0o644 } },
  ],
  [
    "or the mode that is given",
    { secret: { secretName: "a", defaultMode: 0 } },
    { secret: { secretName: "a", defaultMode: 0 } },
  ],
  ["files of a Secret too", { secret: { secretName: "a" } }, { secret: { secretName: "a", defaultMode: 0o644 } }],
  ["a projected volume has sources", { projected: {} }, { projected: { defaultMode: 0o644, sources: [] } }],
  [
    "a token is valid for an hour, and each source has the defaults of its kind",
    {
      projected: {
        defaultMode: 0o400,
        sources: [
          { serviceAccountToken: { path: "a" } },
          { serviceAccountToken: { path: "b", expirationSeconds: 600 } },
          { downwardAPI: { items: [{ path: "c", fieldRef: { fieldPath: "metadata.name" } }] } },
          { downwardAPI: {} },
          { configMap: { name: "d" } },
        ],
      },
    },
    {
      projected: {
        defaultMode: 0o400,
        sources: [
          { serviceAccountToken: { path: "a", expirationSeconds: 3600 } },
          { serviceAccountToken: { path: "b", expirationSeconds: 600 } },
          { downwardAPI: { items: [{ path: "c", fieldRef: { apiVersion: "v1", fieldPath: "metadata.name" } }] } },
          { downwardAPI: {} },
          { configMap: { name: "d" } },
        ],
      },
    },
  ],
])("volumes: %s", (_rule, given, expected) => {
  expect(volumesOf(given)).toEqual([{ name: "v", ...expected }]);
});

test("what is set is not defaulted", () => {
  const spec = {
    restartPolicy: "Never",
    terminationGracePeriodSeconds: 0,
    dnsPolicy: "None",
    securityContext: { runAsUser: 1 },
    schedulerName: "mine",
    enableServiceLinks: false,
  };
  const container = {
    name: "a",
    image: "i",
    ports: [{ containerPort: 1, hostPort: 2, protocol: "UDP" }],
    env: [
      { name: "A", value: "1" },
      { name: "B", valueFrom: { fieldRef: { apiVersion: "v2", fieldPath: "x" } } },
      { name: "C", valueFrom: { resourceFieldRef: { resource: "limits.cpu", divisor: "1m" } } },
      { name: "D", valueFrom: { secretKeyRef: { name: "a", key: "b" } } },
    ],
    resources: { limits: { cpu: "1" }, requests: { cpu: "0" } },
    livenessProbe: {
      grpc: { port: 1, service: "s" },
      timeoutSeconds: 2,
      periodSeconds: 3,
      successThreshold: 4,
      failureThreshold: 5,
    },
    lifecycle: { postStart: { httpGet: { port: 1, path: "/a", scheme: "HTTPS" } } },
    terminationMessagePath: "/a",
    terminationMessagePolicy: "FallbackToLogsOnError",
    imagePullPolicy: "Never",
  };
  const pod = { metadata: { name: "a" }, spec: { ...spec, initContainers: [container], containers: [container] } };
  expect(defaultPod(pod as Pod)).toEqual({ apiVersion: "v1", kind: "Pod", ...pod });
});

test("a pod without fields has the API server's defaults", () => {
  expect(defaultPod({})).toEqual({
    apiVersion: "v1",
    kind: "Pod",
    spec: {
      containers: [],
      restartPolicy: "Always",
      terminationGracePeriodSeconds: 30,
      dnsPolicy: "ClusterFirst",
      securityContext: {},
      schedulerName: "default-scheduler",
      enableServiceLinks: true,
    },
  });
});

test("a probe and a hook without fields have the API server's defaults", () => {
  const times = { timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 };
  const fields = {
    livenessProbe: {},
    startupProbe: { httpGet: { port: 1 } },
    lifecycle: { preStop: { sleep: { seconds: 1 } } },
  };
  const { spec } = defaultPod({ spec: { containers: [{ name: "a", ...fields }] } });
  expect(spec?.containers).toEqual([
    {
      name: "a",
      resources: {},
      livenessProbe: times,
      startupProbe: { httpGet: { port: 1, path: "/", scheme: "HTTP" }, ...times },
      lifecycle: { preStop: { sleep: { seconds: 1 } } },
      terminationMessagePath: "/dev/termination-log",
      terminationMessagePolicy: "File",
      imagePullPolicy: "Always",
    },
  ]);
});

test("pod-level requests do not count the overhead, and those of huge pages are the pod's limit", () => {
  const container = { name: "a", resources: { requests: { cpu: "100m", "hugepages-2Mi": "2Mi" } } };
  const resources = { limits: { cpu: "1", "hugepages-2Mi": "4Mi", "example.com/a": "1" }, requests: { memory: "1Gi" } };
  const { spec } = defaultPod({ spec: { containers: [container], overhead: { cpu: "1" }, resources } } as Pod);
  expect(spec).toMatchObject({
    overhead: { cpu: "1" },
    resources: { ...resources, requests: { cpu: "100m", memory: "1Gi", "hugepages-2Mi": "4Mi" } },
  });
  expect(Object.keys((spec as { resources?: { requests?: object } }).resources?.requests ?? {}).sort()).toEqual([
    "cpu",
    "hugepages-2Mi",
    "memory",
  ]);
});
