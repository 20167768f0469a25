/** What is handed to the runtime for a pod and its containers. */

import type { Image } from "@hooklet/cri-api";
import { memoryVolumeSize } from "@hooklet/volumes";
import { describe, expect, test } from "@jest/globals";
import { containerConfig, containerHash, containerLogPath } from "../../../src/pod/spec/container-config.js";
import { goQuote } from "../../../src/pod/spec/downward.js";
import { podLogDirectory, sandboxConfig } from "../../../src/pod/spec/sandbox-config.js";
import { aContainer, aPod } from "../../pod/pods.js";

const UID = "0123456789abcdef0123456789abcdef";
const dns = { servers: [], searches: [], options: [] };

describe("a sandbox", () => {
  const made = (spec: object = {}, plan: object = {}, metadata: object = {}) =>
    sandboxConfig(aPod(spec, metadata), {
      attempt: 3,
      podLogsDir: "/var/log/pods",
      rootDir: "/var/lib/hooklet",
      source: "control",
      clusterDomain: "cluster.local",
      dns,
      plan: { cgroupParent: "", annotations: {}, ...plan },
    });

  test("of a plain pod is what the kubelet asks for", () => {
    const { annotations, ...config } = made({}, {}, { labels: { app: "web" }, annotations: { note: "mine" } });
    expect(config).toEqual({
      metadata: { name: "web-node1", namespace: "default", uid: UID, attempt: 3 },
      hostname: "web-node1",
      logDirectory: `/var/log/pods/default_web-node1_${UID}`,
      labels: {
        app: "web",
        "io.kubernetes.pod.name": "web-node1",
        "io.kubernetes.pod.namespace": "default",
        "io.kubernetes.pod.uid": UID,
      },
      portMappings: [],
      dns,
      linux: {
        cgroupParent: "",
        sysctls: {},
        securityContext: {
          namespaces: { network: "POD", pid: "CONTAINER", ipc: "POD" },
          supplementalGroups: [],
          readonlyRootfs: false,
          privileged: false,
          seccomp: { profileType: "RuntimeDefault", localhostRef: "" },
        },
      },
      runtimeHandler: "",
    });
    expect(Object.keys(annotations)).toEqual([
      "note",
      "hooklet.dev/source",
      "hooklet.dev/holds",
      "hooklet.dev/root-dir",
    ]);
  });

  test("on the host network has no name and no ports", () => {
    const ports = [{ containerPort: 80 }];
    const config = made({ hostNetwork: true, containers: [aContainer("main", { ports })] });
    expect([config.hostname, config.portMappings]).toEqual(["", []]);
  });

  test("has each port of main containers and sidecars, with the API's defaults", () => {
    const one = { containerPort: 80 };
    const other = { containerPort: 53, hostPort: 5353, hostIP: "127.0.0.1", protocol: "UDP" };
    const config = made({
      initContainers: [
        aContainer("setup", { ports: [{ containerPort: 1 }] }),
        aContainer("proxy", { restartPolicy: "Always", ports: [other] }),
      ],
      containers: [aContainer("main", { ports: [one] })],
    });
    expect(config.portMappings).toEqual([
      { protocol: "UDP", containerPort: 53, hostPort: 5353, hostIp: "127.0.0.1" },
      { protocol: "TCP", containerPort: 80, hostPort: 0, hostIp: "" },
    ]);
  });

  test("has the pod's user, groups and sysctls", () => {
    const securityContext = { runAsUser: 0, runAsGroup: 5, fsGroup: 7, sysctls: [{ name: "kernel.x", value: "1" }] };
    expect(made({ securityContext }).linux).toMatchObject({
      sysctls: { "kernel.x": "1" },
      securityContext: { runAsUser: 0, runAsGroup: 5, supplementalGroups: [7] },
    });
    expect(made().linux.securityContext).not.toHaveProperty("runAsGroup");
  });

  test("is privileged as soon as one of its containers is", () => {
    const privileged = { securityContext: { privileged: true } };
    const isPrivileged = (spec: object): boolean => made(spec).linux.securityContext.privileged;
    expect(isPrivileged({ containers: [aContainer("a"), aContainer("b", privileged)] })).toBe(true);
    expect(isPrivileged({ initContainers: [aContainer("a", privileged)] })).toBe(true);
    expect(isPrivileged({ containers: [aContainer("a", { securityContext: { privileged: false } })] })).toBe(false);
  });

  test("has what plugins add; a runtime handler of theirs goes before the pod's class", () => {
    const resources = { cpuShares: 2 };
    const plan = { cgroupParent: "/kubepods/x", resources, overhead: resources, annotations: { by: "plugin" } };
    expect(made({}, plan)).toMatchObject({
      linux: { cgroupParent: "/kubepods/x", resources, overhead: resources },
      annotations: { by: "plugin" },
    });
    expect(made().linux).not.toHaveProperty("resources");
    expect(made().linux).not.toHaveProperty("overhead");
    expect(made({ runtimeClassName: "gvisor" }).runtimeHandler).toBe("gvisor");
    expect(made({ runtimeClassName: "gvisor" }, { runtimeHandler: "runsc" }).runtimeHandler).toBe("runsc");
  });

  test("notes what the pod holds itself: a manifest cannot write that", () => {
    const forged = made({}, {}, { annotations: { "hooklet.dev/holds": "forged" } }).annotations["hooklet.dev/holds"];
    expect(forged).toBe('{"version":1,"containers":[{"name":"main"}]}');
  });

  test("logs below a folder of namespace, name and uid", () => {
    expect(podLogDirectory("/logs", aPod())).toBe(`/logs/default_web-node1_${UID}`);
  });
});

describe("a container", () => {
  const image: Image = { id: "sha256:1", repoTags: [], repoDigests: [], size: 1, pinned: false } as never;
  const made = (own: object = {}, facts: object = {}, spec: object = {}) =>
    containerConfig(aPod(spec), aContainer("main", own), { attempt: 2, image, env: new Map(), mounts: [], ...facts });

  test("with an empty manifest is the kubelet's default", () => {
    const { annotations, linux, ...config } = made();
    expect(config).toEqual({
      metadata: { name: "main", attempt: 2 },
      image: { image: "sha256:1", userSpecifiedImage: "host" },
      command: ["sleep", "1"],
      args: [],
      workingDir: "",
      envs: [],
      mounts: [],
      devices: [],
      cdiDevices: [],
      labels: {
        "io.kubernetes.pod.name": "web-node1",
        "io.kubernetes.pod.namespace": "default",
        "io.kubernetes.pod.uid": UID,
        "io.kubernetes.container.name": "main",
      },
      logPath: "main/2.log",
      stdin: false,
      stdinOnce: false,
      tty: false,
    });
    expect(annotations).toEqual({
      "io.kubernetes.container.hash": containerHash(aContainer("main")),
      "io.kubernetes.container.restartCount": "2",
      "io.kubernetes.container.terminationMessagePath": "",
      "io.kubernetes.container.terminationMessagePolicy": "",
      "io.kubernetes.pod.terminationGracePeriod": "30",
    });
    expect(linux.resources).toEqual({});
  });

  test("has its words with the environment filled in", () => {
    const env = new Map([["NAME", "x"]]);
    const config = made({ command: ["echo", "$(NAME)", "$(OTHER)"], args: ["$$(NAME)"] }, { env });
    expect([config.command, config.args]).toEqual([["echo", "x", "$(OTHER)"], ["$(NAME)"]]);
    expect(config.envs).toEqual([{ key: "NAME", value: "x" }]);
    const bare = containerConfig(aPod(), { name: "bare" }, { attempt: 0, image, env, mounts: [] });
    expect([bare.command, bare.image.userSpecifiedImage]).toEqual([[], ""]);
  });

  test("has its manifest's terminal, folder, messages, hook and ports", () => {
    const preStop = { exec: { command: ["x"] } };
    const ports = [{ name: "http", containerPort: 80, hostPort: 8080, protocol: "TCP", hostIP: "127.0.0.1", more: 1 }];
    const own = {
      stdin: true,
      stdinOnce: true,
      tty: true,
      workingDir: "/srv",
      terminationMessagePath: "/dev/end",
      terminationMessagePolicy: "File",
      lifecycle: { preStop },
      ports,
    };
    const config = made(own, {}, { terminationGracePeriodSeconds: undefined });
    expect(config).toMatchObject({ stdin: true, stdinOnce: true, tty: true, workingDir: "/srv" });
    expect(config.annotations).toMatchObject({
      "io.kubernetes.container.terminationMessagePath": "/dev/end",
      "io.kubernetes.container.terminationMessagePolicy": "File",
      "io.kubernetes.container.preStopHandler": '{"exec":{"command":["x"]}}',
      "io.kubernetes.container.ports":
        '[{"name":"http","hostPort":8080,"containerPort":80,"protocol":"TCP","hostIP":"127.0.0.1"}]',
    });
    expect(config.annotations).not.toHaveProperty(["io.kubernetes.pod.terminationGracePeriod"]);
    expect(made({ ports: [], lifecycle: {} }).annotations).not.toHaveProperty(["io.kubernetes.container.ports"]);
  });

  test("runs as the image's user, where there is one", () => {
    expect(made({}, { image: { ...image, uid: 0, username: "web" } }).image).toMatchObject({ uid: 0, username: "web" });
    expect(made().image).not.toHaveProperty("uid");
  });

  test("sees the processes of its target", () => {
    expect(made({}, { target: "c1" }).linux.securityContext.namespaces).toMatchObject({
      pid: "TARGET",
      targetId: "c1",
    });
  });

  test("logs by name and attempt", () => expect(containerLogPath("main", 7)).toBe("main/7.log"));

  test("has the hash that a real kubelet wrote", () => {
    expect(containerHash({ name: "main", image: "hk.local/busybox:1" })).toBe("7f20e193");
  });

  test("has another hash with another image or name, and only then", () => {
    const hash = containerHash(aContainer("main"));
    expect(hash).toMatch(/^[0-9a-f]{1,8}$/);
    expect(containerHash(aContainer("main", { tty: true }))).toBe(hash);
    expect(containerHash(aContainer("main", { image: "other" }))).not.toBe(hash);
    expect(containerHash(aContainer("other"))).not.toBe(hash);
    expect(containerHash({ name: "main" })).toBe(containerHash({ name: "main", image: "" }));
  });
});

describe("texts as Go quotes them", () => {
  test.each([
    { text: 'a "b" \\', quoted: '"a \\"b\\" \\\\"' },
    { text: "\u0007\b\f\n\r\t\v", quoted: '"\\a\\b\\f\\n\\r\\t\\v"' },
    { text: "\u0000\u001f\u007f", quoted: '"\\x00\\x1f\\x7f"' },
    { text: "ü€😀 ", quoted: '"ü€😀 "' },
    { text: "\u00a0\u200b\u0085", quoted: '"\\u00a0\\u200b\\u0085"' },
    { text: "\ud800", quoted: '"\ufffd"' },
    { text: "\udfff", quoted: '"\ufffd"' },
    { text: "\u{e0001}", quoted: '"\\U000e0001"' },
    { text: "\ue000", quoted: '"\\ue000"' },
  ])("$quoted", ({ text, quoted }) => expect(goQuote(text)).toBe(quoted));
});

describe("a volume in memory holds", () => {
  const Mi = 1024 ** 2;
  const limited = (name: string, memory: string) => aContainer(name, { resources: { limits: { memory } } });
  const volume = (sizeLimit?: string) => ({
    name: "m",
    emptyDir: { medium: "Memory", ...(sizeLimit !== undefined && { sizeLimit }) },
  });

  test.each([
    { name: "what the node has, without a lower limit", spec: {}, own: undefined, node: 8 * Mi, size: 8 * Mi },
    { name: "its own limit", spec: {}, own: "2Mi", node: 8 * Mi, size: 2 * Mi },
    { name: "no more than the node has", spec: {}, own: "20Mi", node: 8 * Mi, size: 8 * Mi },
    {
      name: "no more than the pod's containers together",
      spec: { containers: [limited("a", "1Mi"), limited("b", "2Mi")] },
      own: "8Mi",
      node: 9 * Mi,
      size: 3 * Mi,
    },
    {
      name: "anything, when one container has no limit",
      spec: { containers: [limited("a", "1Mi"), aContainer("b")] },
      own: undefined,
      node: 8 * Mi,
      size: 8 * Mi,
    },
    {
      name: "anything, when an init container has none",
      spec: { containers: [limited("a", "1Mi")], initContainers: [aContainer("i")] },
      own: undefined,
      node: 8 * Mi,
      size: 8 * Mi,
    },
    {
      name: "no more than the limit of the whole pod",
      spec: { resources: { limits: { memory: "1Mi" } } },
      own: undefined,
      node: 8 * Mi,
      size: Mi,
    },
    { name: "its own limit, when the node is not known", spec: {}, own: "2Mi", node: undefined, size: 2 * Mi },
    { name: "anything, when nothing is known", spec: {}, own: undefined, node: undefined, size: undefined },
    { name: "anything, with limits of 0", spec: {}, own: "0", node: 0, size: undefined },
  ])("$name", ({ spec, own, node, size }) => {
    expect(memoryVolumeSize(aPod(spec as never), volume(own), node)).toBe(size);
  });
});
