import { describe, expect, test } from "@jest/globals";
import type * as v1 from "kubernetes-types/core/v1.js";
import { stringify } from "yaml";
import { fromRc, fromSettings, without } from "../../src/record/config.js";
import { observedIn } from "../../src/record/observed.js";
import { recordedPod } from "../../src/record/pods.js";
import { recordedScenario } from "../../src/record/scenario.js";
import { parseScenario } from "../../src/scenario/read.js";

const POD: v1.Pod = {
  metadata: {
    name: "web",
    namespace: "shop",
    labels: { app: "web" },
    annotations: { "kubectl.kubernetes.io/last-applied-configuration": "PASSWORD" },
  },
  spec: {
    nodeName: "n",
    priority: 5,
    serviceAccountName: "s",
    containers: [
      {
        name: "main",
        image: "web:1",
        command: ["run", "--token=SECRET"],
        env: [{ name: "KEY", value: "SECRET" }],
        envFrom: [{ secretRef: { name: "x" } }],
        resources: { requests: { cpu: "1" } },
        livenessProbe: { exec: { command: ["check", "SECRET"] }, periodSeconds: 7 },
        readinessProbe: { httpGet: { port: 80, httpHeaders: [{ name: "Authorization", value: "SECRET" }] } },
        volumeMounts: [
          { name: "keys", mountPath: "/keys" },
          { name: "host", mountPath: "/host" },
        ],
      },
    ],
    volumes: [
      { name: "keys", secret: { secretName: "x" } },
      { name: "host", hostPath: { path: "/" } },
    ],
  },
  status: { phase: "Running", startTime: "2026-01-01T00:00:02Z" as never },
};

describe("a recorded pod", () => {
  test("has no value of its environment, no command, no header and no annotation that may be secret", () => {
    const text = JSON.stringify(recordedPod(POD, { withEnv: false }));
    expect(text).not.toMatch(/SECRET|PASSWORD/);
    expect(recordedPod(POD, { withEnv: false })).toEqual({
      metadata: { name: "web", namespace: "shop", labels: { app: "web" } },
      spec: {
        priority: 5,
        containers: [
          {
            name: "main",
            image: "web:1",
            resources: { requests: { cpu: "1" } },
            livenessProbe: { exec: { command: ["true"] }, periodSeconds: 7 },
            readinessProbe: { httpGet: { port: 80 } },
            volumeMounts: [{ name: "keys", mountPath: "/keys" }],
          },
        ],
        volumes: [{ name: "keys", emptyDir: {} }],
      },
    });
  });

  test("with env, its values and its command are there, what comes from objects is not", () => {
    const text = JSON.stringify(recordedPod(POD, { withEnv: true }));
    expect(text).toContain("--token=SECRET");
    expect(text).not.toContain("secretRef");
  });

  test("keeps the rules by which its containers start again", () => {
    const restartPolicyRules = [{ action: "Restart", exitCodes: { operator: "In", values: [42] } }];
    const container = { name: "main", restartPolicy: "Never", restartPolicyRules };
    const pod = { ...POD, spec: { ...POD.spec, containers: [container] } };
    expect(recordedPod(pod, { withEnv: false })).toMatchObject({ spec: { containers: [container] } });
  });

  test("one that has ended is left out", () => {
    expect(recordedPod({ ...POD, status: { phase: "Succeeded" } }, { withEnv: false })).toBeUndefined();
  });
});

describe("configuration", () => {
  test("of an rc file is taken what is decided by, not where things lie on the machine", () => {
    const rc = {
      node: { maxPods: 50, resolvConf: "/x" },
      sources: { manifests: "/etc" },
      plugins: [["gc", { imageMinimumGCAge: "2m0s" }]],
    };
    expect(fromRc(rc)).toEqual({
      node: { maxPods: 50 },
      plugins: [["gc", { imageMinimumGCAge: "2m0s" }]],
    });
  });

  test("of hooklet's settings is taken what somebody wrote, and what was taken away", () => {
    const settings = [
      { path: "node.maxPods", value: 5, origin: "/etc/rc:1" },
      { path: "node.name", value: "n", origin: "/etc/rc:1" },
      { path: "node.clusterDomain", value: "c", origin: "default" },
      { path: 'plugins["@x/gc"]', value: "gc", origin: "default" },
      { path: 'plugins["@x/gc"].order', value: "lru", origin: "/etc/rc:2" },
      { path: 'plugins["@x/gc"].a.b', value: 1, origin: "/etc/rc:2" },
      { path: "plugins.probe", value: false, origin: "/etc/rc:3" },
    ];
    expect(fromSettings(settings)).toEqual({
      node: { maxPods: 5 },
      plugins: [
        ["gc", { order: "lru", a: { b: 1 } }],
        ["probe", false],
      ],
    });
  });

  test("of a node of a cluster the plugin that brings its pods stays behind, with the path of its kubeconfig", () => {
    const settings = [
      { path: 'plugins["@x/source-kube"]', value: "@x/source-kube", origin: "/etc/rc:1" },
      { path: 'plugins["@x/source-kube"].kubeconfig', value: "/etc/kubeconfig", origin: "/etc/rc:2" },
      { path: 'plugins["@x/gc"]', value: "gc", origin: "default" },
      { path: 'plugins["@x/gc"].order', value: "lru", origin: "/etc/rc:3" },
    ];
    expect(fromSettings(settings, ["@x/source-kube"])).toEqual({ plugins: [["gc", { order: "lru" }]] });
  });

  test("an option that is not taken is left out by the path of its fault", () => {
    const config = { node: { a: 1, b: 2 }, plugins: [["x", { c: 3, d: 4 }]] } as const;
    expect(without(config, "node.a")).toEqual({ ...config, node: { b: 2 } });
    expect(without(config, "plugins[0].c")).toEqual({ ...config, plugins: [["x", { d: 4 }]] });
    expect(without(config, "plugins[0]")).toEqual({ ...config, plugins: [] });
    expect(without(config, "rootDir")).toBeUndefined();
  });
});

test.each([
  ["a PodList", { kind: "PodList", items: [POD] }, "pods"],
  ["a List of nodes", { kind: "List", items: [{ kind: "Node" }] }, "node"],
  ["/configz", { kubeletconfig: {} }, "kubeletConfig"],
  ["/stats/summary", { node: {}, pods: [] }, "summary"],
  ["crictl images", { images: [] }, "images"],
  ["a checkpoint", { Data: { PodDeviceEntries: [] }, Checksum: 1 }, "devices"],
])("%s is known by its shape", (_, value, key) => {
  expect(Object.keys(observedIn(value) ?? {})).toEqual([key]);
});

test.each([[], 5, null, {}, { items: [], kind: "ServiceList" }])("%j is nothing that is known", (value) => {
  expect(observedIn(value)).toBeUndefined();
});

test("what is recorded is a scenario, with usage, images and devices of the node", async () => {
  const gib = 1024 ** 3;
  const scenario = recordedScenario(
    {
      pods: [POD],
      node: { metadata: { name: "n1" }, status: { capacity: { cpu: "8", memory: "16Gi", pods: "110" } } },
      summary: {
        node: { memory: { workingSetBytes: 3 * gib }, fs: { capacityBytes: 100 * gib, availableBytes: 50 * gib } },
        pods: [
          {
            podRef: { name: "web", namespace: "shop" },
            containers: [{ name: "main", memory: { workingSetBytes: gib }, rootfs: { usedBytes: 7 } }],
            process_stats: { process_count: 4 },
          },
        ],
      },
      images: [
        { id: "sha256:a", repoTags: ["web:1"], size: "5" },
        { id: "sha256:b", repoTags: [], repoDigests: null },
      ],
      devices: {
        PodDeviceEntries: [{ ResourceName: "v.example/gpu", DeviceIDs: { "1": ["g1"] } }],
        RegisteredDevices: { "v.example/gpu": ["g2", "g1"] },
      },
    },
    {},
    { withEnv: false },
  );
  const { spec, steps } = await parseScenario(stringify(scenario), "/tmp/recorded.yaml");
  expect(spec.node).toMatchObject({
    name: "n1",
    cpu: "8",
    memory: "16Gi",
    pods: 110,
    imageFs: { capacity: 100 * gib },
  });
  expect(spec.images).toMatchObject([{ id: "sha256:a", names: ["web:1"], size: 5 }]);
  expect(spec.devices["v.example/gpu"]).toMatchObject([{ id: "g1", numa: 1 }, { id: "g2" }]);
  expect(steps.map(({ step }) => step.usage ?? "apply")).toEqual([
    "apply",
    { memory: 2 * gib },
    { pod: "shop/web", container: "main", memory: gib, disk: 7, pids: 4 },
  ]);
});
