import { describe, expect, test } from "@jest/globals";
import type * as v1 from "kubernetes-types/core/v1.js";
import { stringify } from "yaml";
import { type Observed, observedIn } from "../../../src/record/observed.js";
import { fromRc, fromSettings, without } from "../../../src/record/recorded-config.js";
import { byStart, recordedPod } from "../../../src/record/recorded-pods.js";
import { recordedScenario } from "../../../src/record/scenario.js";
import { parseScenario } from "../../../src/scenario/read.js";

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

const named = (file: string): string => `named:${file}`;

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

  test("one that has ended is left out, and one of which nothing is known", () => {
    expect(recordedPod({ ...POD, status: { phase: "Succeeded" } }, { withEnv: false })).toBeUndefined();
    expect(recordedPod({ metadata: { name: "web" } }, { withEnv: false })).toBeUndefined();
  });

  const recorded = (pod: object, withEnv = false): unknown => recordedPod(pod as v1.Pod, { withEnv });
  const main = { name: "main", image: "web:1" };

  test("one with nothing but a container has nothing else; the namespace default goes without saying", () => {
    const bare = { metadata: { name: "web" }, spec: { containers: [{ name: "main", image: "web:1" }] } };
    for (const withEnv of [false, true]) {
      expect(recorded({ spec: { containers: [main] } }, withEnv)).toEqual({ ...bare, metadata: { name: "" } });
      expect(recorded({ metadata: { name: "web", namespace: "default" }, spec: { containers: [main] } })).toEqual(bare);
    }
  });

  test("keeps what the node does with it: its policy, its sandbox, its class, and where it may run", () => {
    const spec = {
      restartPolicy: "OnFailure",
      terminationGracePeriodSeconds: 5,
      activeDeadlineSeconds: 60,
      priority: 0,
      priorityClassName: "high",
      hostNetwork: true,
      hostPID: true,
      hostIPC: false,
      nodeSelector: { a: "b" },
      tolerations: [{ operator: "Exists" }],
      overhead: { memory: "1Mi" },
      os: { name: "linux" },
    };
    const side = {
      ...main,
      imagePullPolicy: "Always",
      ports: [{ containerPort: 80 }],
      resources: { limits: { cpu: "1" } },
      restartPolicy: "Always",
    };
    const pod = { metadata: { name: "web" }, spec: { ...spec, initContainers: [side], containers: [main] } };
    expect(recorded(pod)).toEqual(pod);
  });

  test("keeps annotations that the kubelet or hooklet goes by", () => {
    const annotations = { "hooklet.dev/a": "1", "x.hooklet.dev/b": "2", "scheduler.alpha.kubernetes.io/c": "3" };
    const pod = {
      metadata: { name: "web", annotations: { ...annotations, "x/scheduler.alpha.kubernetes.io/c": "4", other: "5" } },
      spec: { containers: [main] },
    };
    expect(recorded(pod)).toMatchObject({ metadata: { annotations } });
    expect(Object.keys((recorded(pod) as { metadata: { annotations: object } }).metadata.annotations)).toHaveLength(3);
  });

  test("with env, commands of probes and headers are there as they were, and arguments; values from objects are not", () => {
    const container = {
      ...main,
      args: ["--x"],
      env: [
        { name: "A", value: "1" },
        { name: "B", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
      ],
      startupProbe: { exec: { command: ["check"] }, failureThreshold: 2 },
      readinessProbe: { httpGet: { port: 80, path: "/", httpHeaders: [{ name: "a", value: "b" }] } },
    };
    const env = [{ name: "A", value: "1" }];
    expect(recorded({ spec: { containers: [container] } }, true)).toMatchObject({
      spec: { containers: [{ ...container, env }] },
    });
    expect(recorded({ spec: { containers: [container] } }, false)).toEqual({
      metadata: { name: "" },
      spec: {
        containers: [
          {
            ...main,
            startupProbe: { exec: { command: ["true"] }, failureThreshold: 2 },
            readinessProbe: { httpGet: { port: 80, path: "/" } },
          },
        ],
      },
    });
  });

  test("values of the environment that come from objects alone leave none", () => {
    const container = { ...main, env: [{ name: "B", valueFrom: { secretKeyRef: { name: "s", key: "k" } } }] };
    expect(recorded({ spec: { containers: [container] } }, true)).toEqual({
      metadata: { name: "" },
      spec: { containers: [main] },
    });
  });

  test("a probe by a port has no command and no address", () => {
    const container = { ...main, livenessProbe: { tcpSocket: { port: 1 } } };
    expect(recorded({ spec: { containers: [container] } })).toEqual({
      metadata: { name: "" },
      spec: { containers: [container] },
    });
  });

  test("a folder of memory stays one; a read-only mount stays read-only", () => {
    const volumes = [
      { name: "tmp", emptyDir: { medium: "Memory" } },
      { name: "none", emptyDir: null },
    ];
    const container = { ...main, volumeMounts: [{ name: "tmp", mountPath: "/t", readOnly: true, subPath: "s" }] };
    expect(recorded({ spec: { containers: [container], volumes } })).toEqual({
      metadata: { name: "" },
      spec: {
        containers: [{ ...main, volumeMounts: [{ name: "tmp", mountPath: "/t", readOnly: true }] }],
        volumes: [
          { name: "tmp", emptyDir: { medium: "Memory" } },
          { name: "none", emptyDir: {} },
        ],
      },
    });
  });
});

test("pods come in the order in which they came onto the node; of those of one moment, and those without one, as they stood", () => {
  const pod = (name: string, startTime?: string, creationTimestamp?: string): v1.Pod =>
    ({ metadata: { name, creationTimestamp }, status: startTime && { startTime } }) as unknown as v1.Pod;
  const pods = [
    pod("c", "2026-01-03"),
    pod("a", "2026-01-01"),
    pod("b1", undefined, "2026-01-02"),
    pod("b2", "2026-01-02", "2026-01-09"),
    pod("none"),
  ];
  expect(byStart(pods).map(({ metadata }) => metadata?.name)).toEqual(["none", "a", "b1", "b2", "c"]);
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

  test("where nothing was decided by there is none", () => {
    expect(fromRc({})).toEqual({});
    expect(fromRc({ node: { resolvConf: "/x", podLogsDir: "/y", name: "n", capacity: {} }, plugins: [] })).toEqual({});
    expect(fromRc({ node: "x" })).toEqual({});
    expect(fromSettings([], named)).toEqual({});
  });

  test("a plugin that hooklet does not bring is taken, and files are found from the rc file that names them", () => {
    const settings = [
      { path: "plugins.mine", value: "./lib/mine.mjs", origin: "/etc/rc:1" },
      { path: "plugins.other", value: "other", origin: "/etc/rc:2" },
      { path: 'plugins["@x/eviction"]', value: "@x/eviction", origin: "default" },
      { path: 'plugins["@x/eviction"].ranking.use', value: "../own.mjs", origin: "/etc/rc:3" },
    ];
    expect(fromSettings(settings, named)).toEqual({
      plugins: [
        ["named:/etc/lib/mine.mjs", {}],
        ["other", {}],
        ["@x/eviction", { ranking: { use: "named:/own.mjs" } }],
      ],
    });
  });

  test("hooklet's settings of other areas, and where things lie on the machine, are not taken", () => {
    const origin = "/etc/rc:1";
    const settings = ["rootDir", "node.resolvConf", "node.podLogsDir", "node.capacity.cpu", "server.port"];
    expect(
      fromSettings(
        settings.map((path) => ({ path, value: "v", origin })),
        named,
      ),
    ).toEqual({});
  });

  test("options of a plugin count by its name where no specifier is known, and by the words of its path", () => {
    const origin = "/etc/rc:1";
    expect(
      fromSettings(
        [
          { path: "plugins.gc", value: false, origin },
          { path: "plugins.gc.a", value: 1, origin },
          { path: 'plugins["@x/y.z"].b["c.d"]', value: 2, origin },
          { path: 'plugins["@x/y.z"].e', value: 3, origin: "default" },
        ],
        named,
      ),
    ).toEqual({
      plugins: [
        ["gc", { a: 1 }],
        ["@x/y.z", { b: { "c.d": 2 } }],
      ],
    });
  });

  test("of hooklet's settings those are kept that a user wrote or switched off", () => {
    const settings = [
      { path: "node.maxPods", value: 5, origin: "/etc/rc:1" },
      { path: "node.name", value: "n", origin: "/etc/rc:1" },
      { path: "node.clusterDomain", value: "c", origin: "default" },
      { path: 'plugins["@x/gc"]', value: "gc", origin: "default" },
      { path: 'plugins["@x/gc"].order', value: "lru", origin: "/etc/rc:2" },
      { path: 'plugins["@x/gc"].a.b', value: 1, origin: "/etc/rc:2" },
      { path: "plugins.probe", value: false, origin: "/etc/rc:3" },
    ];
    expect(fromSettings(settings, named)).toEqual({
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
    expect(fromSettings(settings, named, ["@x/source-kube"])).toEqual({ plugins: [["gc", { order: "lru" }]] });
  });

  test("an option that is not taken is left out by the path of its fault", () => {
    const config = { node: { a: 1, b: 2 }, plugins: [["x", { c: 3, d: 4 }]] } as const;
    expect(without(config, "node.a")).toEqual({ ...config, node: { b: 2 } });
    expect(without(config, "plugins[0].c")).toEqual({ ...config, plugins: [["x", { d: 4 }]] });
    expect(without(config, "plugins[0]")).toEqual({ ...config, plugins: [] });
    expect(without(config, "rootDir")).toBeUndefined();
  });

  test.each([
    { name: "an option deep in another goes with it", path: "node.a[0].x", left: { node: { b: 2 } } },
    { name: "an option deep in a plugin's goes with it", path: "plugins[0].c.x", left: { plugins: [["x", { d: 4 }]] } },
    { name: "the other plugins stay", path: "plugins[1].e", left: { plugins: [["x", { c: 3, d: 4 }]] } },
    { name: "a plugin that is not there leaves all as it is", path: "plugins[7].c", left: undefined },
    { name: "a word that only ends like one is another", path: "x.node.a", left: undefined },
    { name: "a place that only ends like one is another", path: "x.plugins[0].c", left: undefined },
  ])("without: $name", ({ path, left }) => {
    const config = {
      node: { a: 1, b: 2 },
      plugins: [["x", { c: 3, d: 4 }] as const, ["off", false] as const],
    } as const;
    const all = left && { ...config, ...left };
    const off = left?.plugins !== undefined && path !== "plugins[1].e" ? [["off", false] as const] : [];
    expect(without(config, path)).toEqual(
      all && { ...all, plugins: left?.plugins === undefined ? config.plugins : [...left.plugins, ...off] },
    );
  });

  test("names are taken whole, and so are places of two figures", () => {
    const plugins = Array.from({ length: 11 }, (_, index) => [`p${index}`, { option: index, other: 1 }] as const);
    const left = without({ node: { maxPods: 1, maxPodsX: 2 }, plugins }, "plugins[10].option");
    expect(left?.plugins?.map(([, options]) => options)).toEqual([
      ...plugins.slice(0, 10).map(([, options]) => options),
      { other: 1 },
    ]);
    expect(without({ node: { maxPods: 1, maxPodsX: 2 } }, "node.maxPods")).toEqual({ node: { maxPodsX: 2 } });
  });

  test("an option of the node is not there to be left out where the node has none", () => {
    expect(without({ plugins: [] }, "node.a")).toBeUndefined();
    expect(without({ node: {} }, "plugins[0]")).toBeUndefined();
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

test.each([
  { name: "a pod", value: { kind: "Pod", spec: {} }, is: { pods: [{ kind: "Pod", spec: {} }] } },
  { name: "a node", value: { kind: "Node" }, is: { node: { kind: "Node" } } },
  { name: "a NodeList", value: { kind: "NodeList", items: [{ a: 1 }] }, is: { node: { a: 1 } } },
  { name: "an empty PodList", value: { kind: "PodList", items: [] }, is: { pods: [] } },
  { name: "a List of pods", value: { kind: "List", items: [{ kind: "Pod" }] }, is: { pods: [{ kind: "Pod" }] } },
  {
    name: "hooklet's /configz",
    value: { kubeletconfig: { maxPods: 5 }, settings: [{ path: "a" }] },
    is: { kubeletConfig: { maxPods: 5 }, settings: [{ path: "a" }] },
  },
  { name: "the kubelet's", value: { kubeletconfig: { a: 1 }, settings: {} }, is: { kubeletConfig: { a: 1 } } },
])("$name is taken whole", ({ value, is }) => {
  expect(observedIn(value)).toEqual(is);
});

test.each([
  { node: {}, pods: {} },
  { node: 5, pods: [] },
  { images: {} },
  { Data: 5 },
  { kubeletconfig: 5 },
  { items: {} },
])("%j only looks like something", (value) => {
  expect(observedIn(value)).toBeUndefined();
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

describe("what of a node was found", () => {
  const scenario = (seen: Observed, config = {}) =>
    recordedScenario(seen, config, { withEnv: false }) as Readonly<Record<string, unknown>>;

  test("a pod that has ended is no part of it, nor is a usage of one that is not there", () => {
    const ended = { ...POD, metadata: { ...POD.metadata, name: "job" }, status: { phase: "Succeeded" } };
    const summary = { pods: [{ podRef: { name: "job", namespace: "shop" }, containers: [{ name: "main" }] }] };
    const { timeline } = scenario({ pods: [ended, POD], summary } as Observed) as { timeline: readonly object[] };
    expect(timeline).toEqual([{ at: "0s", apply: expect.objectContaining({ metadata: expect.anything() }) }]);
  });

  test("where nothing was found, the node is as scenarios have it", () => {
    expect(scenario({})).toEqual({ node: {}, images: [], timeline: [], until: "10m", expect: [] });
    expect(scenario({ node: {}, summary: { node: {} }, devices: { RegisteredDevices: {} } })).toEqual(scenario({}));
  });

  test("a configuration is there where there is one", () => {
    expect(scenario({}, { node: { maxPods: 5 } })).toMatchObject({ config: { node: { maxPods: 5 } } });
  });

  const labels = { zone: "a" };
  test.each<{ name: string; seen: Observed; node: object }>([
    {
      name: "its memory is what is used and what is free, where the node itself does not say",
      seen: { summary: { node: { memory: { workingSetBytes: 1, availableBytes: 2 } } } },
      node: { memory: 3 },
    },
    { name: "what is not told of memory is 0", seen: { summary: { node: { memory: {} } } }, node: { memory: 0 } },
    {
      name: "the kubelet's number of pods goes before the node's",
      seen: { kubeletConfig: { maxPods: 5 }, node: { status: { capacity: { pods: "9" } } } },
      node: { pods: 5 },
    },
    { name: "a number of pods that is none is not taken", seen: { kubeletConfig: { maxPods: "5" } }, node: {} },
    { name: "its process ids", seen: { summary: { node: { rlimit: { maxpid: 7 } } } }, node: { pids: 7 } },
    {
      name: "its labels",
      seen: { node: { metadata: { labels }, status: { nodeInfo: {} as never } } },
      node: { labels },
    },
    {
      name: "labels of what is no node of a cluster are not taken",
      seen: { node: { metadata: { labels } } },
      node: {},
    },
    {
      name: "a file system with what is told of it",
      seen: { summary: { node: { fs: { capacityBytes: 9, availableBytes: 0, inodes: 5, inodesFree: 0 } } } },
      node: { imageFs: { capacity: 9, available: 0, inodes: 5, inodesFree: 0 } },
    },
    { name: "one without a size is none", seen: { summary: { node: { fs: { availableBytes: 1 } } } }, node: {} },
    {
      name: "images that lie apart from the rest make two",
      seen: { summary: { node: { fs: { capacityBytes: 9 }, runtime: { imageFs: { capacityBytes: 8 } } } } },
      node: { imageFs: { capacity: 8 }, nodeFs: { capacity: 9 } },
    },
    {
      name: "of one size they are one",
      seen: { summary: { node: { fs: { capacityBytes: 9 }, runtime: { imageFs: { capacityBytes: 9 } } } } },
      node: { imageFs: { capacity: 9 } },
    },
    {
      name: "of the images' alone there is no other",
      seen: { summary: { node: { runtime: { imageFs: { capacityBytes: 8 } } } } },
      node: { imageFs: { capacity: 8 } },
    },
    {
      name: "of the images' without a size the rest counts as apart",
      seen: { summary: { node: { fs: { capacityBytes: 9 }, runtime: { imageFs: {} } } } },
      node: { nodeFs: { capacity: 9 } },
    },
  ])("$name", ({ seen, node }) => {
    expect(scenario(seen).node).toEqual(node);
  });

  test("images: with their tags, or else their digests, and without names none; the node's own where no other source has them", () => {
    const images = [
      { id: "a", repoTags: ["x:1"], repoDigests: ["x@sha256:1"], size: "5", pinned: true },
      { repoTags: null, repoDigests: ["y@sha256:2"], pinned: false },
      { id: "c", repoTags: [] },
    ];
    expect(scenario({ images, node: { status: { images: [{ names: ["z"] }] } } }).images).toEqual([
      { id: "a", names: ["x:1"], size: 5, pinned: true },
      { names: ["y@sha256:2"], size: 0 },
    ]);
    const own = [{ names: ["z"], sizeBytes: 7 }, { names: ["w"] }, { names: [] }, {}, { names: null }];
    expect(scenario({ node: { status: { images: own as never } } }).images).toEqual([
      { names: ["z"], size: 7 },
      { names: ["w"], size: 0 },
    ]);
  });

  test("devices in the order of their ids; a NUMA node is known of what was given out, by nodes that there are", () => {
    const devices = {
      PodDeviceEntries: [
        { ResourceName: "v/gpu", DeviceIDs: { "0": ["b"], "-1": ["a"] } },
        { ResourceName: "v/nic", DeviceIDs: ["c"] },
        {},
      ],
      RegisteredDevices: { "v/gpu": ["c", "b", "a"], "v/nic": ["c", "b"] },
    };
    expect(scenario({ devices }).devices).toEqual({
      "v/gpu": [{ id: "a" }, { id: "b", numa: 0 }, { id: "c" }],
      "v/nic": [{ id: "b" }, { id: "c" }],
    });
    const nothing = { PodDeviceEntries: null, RegisteredDevices: null } as never;
    expect(scenario({ devices: nothing })).not.toHaveProperty("devices");
  });

  describe("what is used", () => {
    const pod = (volumes: readonly object[] = []): v1.Pod =>
      ({ metadata: { name: "web" }, spec: { containers: [{ name: "main", image: "i" }], volumes } }) as v1.Pod;
    const used = (of: object, volumes: readonly object[] = []) =>
      (
        scenario({ pods: [pod(volumes)], summary: { pods: [{ podRef: { name: "web" }, ...of }] } }).timeline as {
          usage?: object;
        }[]
      )
        .slice(1)
        .map(({ usage }) => usage);
    const bare = { pod: "default/web", container: "main", memory: 0, disk: 0 };
    const folder = [{ name: "v", emptyDir: {} }];

    test("comes a minute after all have come, and at once for what no pod of these uses", () => {
      const containers = [{ name: "main", memory: { workingSetBytes: 5 }, rootfs: { usedBytes: 6 } }];
      const summary = (all: number) => ({
        node: { memory: { workingSetBytes: all } },
        pods: [{ podRef: { name: "web" }, containers }, { podRef: { name: "elsewhere" }, containers }, { containers }],
      });
      const timeline = scenario({ pods: [pod()], summary: summary(8) }).timeline;
      expect(timeline).toEqual([
        { at: "0s", apply: expect.objectContaining({ metadata: { name: "web" } }) },
        { at: "0s", usage: { memory: 3 } },
        { at: "1m", usage: { ...bare, memory: 5, disk: 6 } },
      ]);
      expect(scenario({ pods: [pod()], summary: summary(1) }).timeline).toMatchObject([
        {},
        { usage: { memory: 0 } },
        {},
      ]);
    });

    test("what is not reported is 0; a pod without statistics uses nothing", () => {
      expect(used({ containers: [{ name: "main" }] })).toEqual([bare]);
      expect(used({})).toEqual([]);
    });

    test("volumes and processes are those of the pod: its first container has them", () => {
      const containers = [{ name: "main" }, { name: "side" }];
      const volume = [{ usedBytes: 2 }, {}, { usedBytes: 3 }];
      expect(used({ containers, volume, process_stats: { process_count: 4 } }, folder)).toEqual([
        { ...bare, volumes: 5, pids: 4 },
        { ...bare, container: "side" },
      ]);
    });

    test.each([
      { name: "has none", volumes: [] },
      { name: "has one of memory alone", volumes: [{ name: "v", emptyDir: { medium: "Memory" } }] },
      { name: "had one of the machine's", volumes: [{ name: "v", hostPath: { path: "/" } }] },
    ])("no volumes are recorded of a pod that $name", ({ volumes }) => {
      expect(used({ containers: [{ name: "main" }], volume: [{ usedBytes: 5 }] }, volumes)).toEqual([bare]);
    });

    test("nor where nothing lies in them", () => {
      expect(used({ containers: [{ name: "main" }], volume: [{ usedBytes: 0 }] }, folder)).toEqual([bare]);
    });
  });
});
