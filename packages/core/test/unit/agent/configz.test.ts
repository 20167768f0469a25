import { expect, test } from "@jest/globals";
import { configz } from "../../../src/agent/configz.js";
import type { AgentConfig } from "../../../src/config/agent-config.js";
import { TestNode } from "../../agent/node.js";

test("configz has the kubelet's names and forms for what a kubelet has too, and the origin of each setting beside it", async () => {
  const here = await new TestNode({ node: { maxPods: 250, systemReserved: { cpu: "100m" } } }).start();
  expect(here.agent.api.configz()).toMatchObject({
    kubeletconfig: {
      fileCheckFrequency: "20s",
      healthzBindAddress: "127.0.0.1",
      maxPods: 250,
      resolvConf: "/etc/resolv.conf",
      containerLogMaxSize: "10Mi",
      containerLogMaxFiles: 5,
      serializeImagePulls: true,
      systemReserved: { cpu: "100m" },
    },
    settings: expect.any(Array),
  });
});

/** As programs get it. */
const shown = (config: AgentConfig) =>
  (JSON.parse(JSON.stringify(configz(config, "/var/log/pods"))) as { kubeletconfig: object }).kubeletconfig;

test("configz shows what is set, without the values of headers and the passwords of addresses", () => {
  const { config } = new TestNode().options();
  const node: AgentConfig["node"] = {
    ...config.node,
    taints: [{ key: "a", effect: "NoSchedule" }],
    clusterDomain: "cluster.local",
    clusterDNS: ["10.0.0.10"],
    allowedUnsafeSysctls: ["net.*"],
    maxParallelImagePulls: 3,
    systemReserved: { cpu: "100m" },
    kubeReserved: { memory: "1Gi" },
    reservedSystemCPUs: "0-1",
  };
  const sources: AgentConfig["sources"] = {
    ...config.sources,
    manifests: "/etc/manifests",
    manifestUrl: "https://me:secret@pods.example/",
    manifestUrlHeader: { Authorization: ["Bearer secret"] },
    fileCheckFrequency: 90,
    httpCheckFrequency: 20,
  };
  expect(shown({ ...config, node, sources, port: 10_248 })).toEqual({
    staticPodPath: "/etc/manifests",
    staticPodURL: expect.stringMatching(/^https:..me:[^s]*@pods.example.$/),
    staticPodURLHeader: { Authorization: ["<masked>"] },
    podLogsDir: "/var/log/pods",
    fileCheckFrequency: "1m30s",
    httpCheckFrequency: "20s",
    healthzPort: 10_248,
    healthzBindAddress: "127.0.0.1",
    registerWithTaints: node.taints,
    clusterDomain: "cluster.local",
    clusterDNS: ["10.0.0.10"],
    maxPods: node.maxPods,
    allowedUnsafeSysctls: ["net.*"],
    resolvConf: node.resolvConf,
    serializeImagePulls: node.serializeImagePulls,
    maxParallelImagePulls: 3,
    evictionHard: node.evictionHard,
    systemReserved: { cpu: "100m" },
    kubeReserved: { memory: "1Gi" },
    reservedSystemCPUs: "0-1",
    containerLogMaxSize: node.containerLogMaxSize,
    containerLogMaxFiles: node.containerLogMaxFiles,
  });
});

test("configz leaves out what is not set or empty, as the kubelet does", () => {
  const { config } = new TestNode().options();
  const node = {
    ...config.node,
    clusterDomain: "",
    clusterDNS: [],
    reservedSystemCPUs: "",
    taints: [],
    systemReserved: {},
  };
  const sources = { ...config.sources, manifests: null, manifestUrl: null, manifestUrlHeader: {} };
  expect(Object.keys(shown({ ...config, node, sources })).toSorted()).toEqual([
    "containerLogMaxFiles",
    "containerLogMaxSize",
    "evictionHard",
    "fileCheckFrequency",
    "healthzBindAddress",
    "healthzPort",
    "httpCheckFrequency",
    "maxPods",
    "podLogsDir",
    "resolvConf",
    "serializeImagePulls",
  ]);
});

test("configz names the file, those that it extends, and each setting with its origin", () => {
  const { config } = new TestNode().options();
  const effective = [
    { path: "node.maxPods", value: 5, origin: "flag" },
    { path: "node.x", value: undefined, origin: "default" },
  ];
  const of = (more: object) => {
    const { kubeletconfig: _, ...rest } = configz({ ...config, ...more, effective } as never, "/logs") as Record<
      string,
      object
    >;
    return rest;
  };
  const settings = [effective[0], { path: "node.x", value: null, origin: "default" }];
  expect(of({ file: "/etc/a.yaml", extended: ["/etc/b.yaml"] })).toEqual({
    file: "/etc/a.yaml",
    extends: ["/etc/b.yaml"],
    settings,
  });
  expect(of({ file: undefined, extended: undefined })).toEqual({ file: null, extends: [], settings });
});

test("configz shows the port that has health alone, where there is one", () => {
  const { config } = new TestNode().options();
  const healthz = { address: "192.0.2.1", port: 10_448 };
  expect(configz({ ...config, port: 10_248, healthz }, "/var/log/pods")).toMatchObject({
    kubeletconfig: { healthzPort: 10_448, healthzBindAddress: "192.0.2.1" },
  });
  expect(configz({ ...config, port: 10_248 }, "/var/log/pods")).toMatchObject({
    kubeletconfig: { healthzPort: 10_248, healthzBindAddress: "127.0.0.1" },
  });
});
