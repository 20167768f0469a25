/**
 * A CRI runtime in a process of its own that behaves as configured: `fork(file, [socket])`, then a message with a mode. Its containers
 * are records alone. After each mode, and when asked with "calls", it sends what it was asked to stop or remove.
 */
import { rmSync } from "node:fs";
import { createRequire } from "node:module";
import { createServer, connect as dial } from "node:net";
import path from "node:path";
import { fileURLToPath } from "node:url";

const home = path.join(path.dirname(fileURLToPath(import.meta.url)), "../../packages/runtime-cri");
const require = createRequire(path.join(home, "package.json"));
const grpc = require("@grpc/grpc-js");
const { loadSync } = require("@grpc/proto-loader");

const [socket, victim] = process.argv.slice(2);
const inner = `${socket}.in`;
const definitions = loadSync(path.join(home, "proto/cri.proto"), { longs: String, enums: String, defaults: true });
const services = Object.values(definitions).filter((one) => !("format" in one));

let mode = "sane";
let made = 0;
const started = process.hrtime.bigint();
const sandboxes = new Map();
const containers = new Map();
const ended = [];
const streams = new Set();
const now = () => String(BigInt(Date.now()) * 1_000_000n);
const huge = (text) => text.repeat(10 * 1024 * 1024);

const foreign = (id, more = {}) => ({
  id,
  podSandboxId: "of-nobody",
  metadata: { name: "main", attempt: 0 },
  image: { image: "other:1" },
  imageRef: "sha256:other",
  state: "CONTAINER_EXITED",
  createdAt: "-1",
  labels: {},
  ...more,
});
/** Labels of a pod whose paths would lead outside. */
const labels = (uid, name = "x") => ({
  "io.kubernetes.pod.uid": uid,
  "io.kubernetes.pod.name": name,
  "io.kubernetes.pod.namespace": "default",
  "io.kubernetes.container.name": "main",
});
const up = "../".repeat(12);
const strangers = [
  foreign("../../../../etc/passwd"),
  foreign("a\nb\u001b[31mred"),
  foreign("twice"),
  foreign("twice"),
  foreign("unknown-state", { state: 99 }),
  foreign("future", { createdAt: "9223372036854775807", state: "CONTAINER_RUNNING" }),
  foreign("past", { createdAt: "-9223372036854775808" }),
  foreign("no-metadata", { metadata: null, image: null }),
  foreign("climbs", { labels: labels(`${up}${victim}`) }),
  foreign("climbs-by-name", { labels: labels("u-1", `${up}${victim}/${up}${victim}`) }),
];
const strangeSandboxes = [
  { ...foreign("s-plain"), state: "SANDBOX_READY" },
  { ...foreign("s-climbs", { labels: labels(`${up}${victim}`) }), state: "SANDBOX_NOTREADY" },
  { ...foreign("s-climbs-2", { labels: labels("..") }), state: "SANDBOX_READY" },
  { ...foreign("s-climbs-3", { labels: labels("u-2", `${up}${victim}`) }), state: "SANDBOX_READY" },
].map((one) => ({ ...one, metadata: { name: "x", uid: "x", namespace: "default", attempt: 0 } }));
/** Some 10 MiB of list: below what a kubelet takes. */
const crowd = () => Array.from({ length: 100_000 }, (_, index) => foreign(`crowd-${index}`));

const sane = {
  Version: () => ({ version: "0.1.0", runtimeName: "liar", runtimeVersion: "1.0.0", runtimeApiVersion: "v1" }),
  Status: () => ({
    status: {
      conditions: ["RuntimeReady", "NetworkReady"].map((type) => ({
        type,
        status: mode !== "flips" || ((process.hrtime.bigint() - started) / 300_000_000n) % 2n === 0n,
        reason: "flips",
        message: "up and down",
      })),
    },
  }),
  RuntimeConfig: () => ({ linux: { cgroupDriver: "CGROUPFS" } }),
  RunPodSandbox({ config }) {
    const id = `sandbox-${++made}`;
    const { metadata, labels, annotations } = config;
    sandboxes.set(id, { id, metadata, labels, annotations, state: "SANDBOX_READY", createdAt: now() });
    return { podSandboxId: id };
  },
  ListPodSandbox: ({ filter }) => ({ items: matching(sandboxes, filter, mode === "lies" ? strangeSandboxes : []) }),
  PodSandboxStatus: ({ podSandboxId }) => ({
    status: { ...known(sandboxes, podSandboxId), network: { ip: "10.1.1.1" } },
  }),
  StopPodSandbox: ({ podSandboxId }) => end(podSandboxId),
  RemovePodSandbox({ podSandboxId }) {
    end(podSandboxId);
    sandboxes.delete(podSandboxId);
    for (const { id, podSandboxId: own } of containers.values()) if (own === podSandboxId) containers.delete(id);
    return {};
  },
  CreateContainer({ podSandboxId, config }) {
    const id = `container-${++made}`;
    const { metadata, labels, annotations, image } = config;
    const common = { id, podSandboxId, metadata, labels, annotations, image, imageRef: "sha256:app" };
    containers.set(id, { ...common, state: "CONTAINER_CREATED", createdAt: now() });
    return { containerId: id };
  },
  StartContainer({ containerId }) {
    Object.assign(known(containers, containerId), { state: "CONTAINER_RUNNING", startedAt: now() });
    return {};
  },
  StopContainer({ containerId }) {
    end(containerId);
    const one = containers.get(containerId);
    if (one !== undefined) Object.assign(one, { state: "CONTAINER_EXITED", finishedAt: now(), exitCode: 137 });
    return {};
  },
  RemoveContainer({ containerId }) {
    end(containerId);
    containers.delete(containerId);
    return {};
  },
  ListContainers({ filter }) {
    const others = mode === "lies" ? strangers : mode === "crowd" ? crowd() : [];
    return { containers: matching(containers, filter, others) };
  },
  ContainerStatus({ containerId }) {
    const stranger = strangers.find(({ id }) => id === containerId);
    const status = stranger ?? known(containers, containerId);
    if (mode !== "lies") return { status };
    const lies = { logPath: path.join(victim, "file"), message: huge("x"), reason: "\u001b[31m\n", mounts: [{}] };
    return { status: { ...status, ...lies, finishedAt: "-1", startedAt: "9223372036854775807" } };
  },
  ImageStatus: () => ({ image: { id: "sha256:app", repoTags: ["app:1"], size: "18446744073709551615" } }),
  PullImage: () => ({ imageRef: "sha256:app" }),
  ListImages: () => ({ images: [{ id: "sha256:other", repoTags: ["other:1"], size: "18446744073709551615" }] }),
  ImageFsInfo: () => ({ imageFilesystems: [{ fsId: { mountpoint: mode === "lies" ? "/no/where\n" : "/" } }] }),
  ListContainerStats: () => ({
    stats: [...containers.keys()].map((id) => ({
      attributes: { id },
      cpu: { usageCoreNanoSeconds: { value: "18446744073709551615" } },
      memory: { workingSetBytes: { value: "18446744073709551615" } },
    })),
  }),
  RemoveImage({ image }) {
    ended.push(`image ${image?.image}`);
    return {};
  },
  Exec: () => ({ url: `file://${victim}/file` }),
};

function matching(all, filter, others) {
  const selector = Object.entries(filter?.labelSelector ?? {});
  const own = [...all.values()].filter(
    (one) =>
      (!filter?.id || one.id === filter.id) &&
      (!filter?.podSandboxId || one.podSandboxId === filter.podSandboxId) &&
      selector.every(([key, value]) => one.labels?.[key] === value),
  );
  return [...own, ...(filter?.id || selector.length > 0 ? [] : others)];
}

function known(all, id) {
  const one = all.get(id);
  if (one === undefined) throw Object.assign(new Error(`no ${id}`), { code: grpc.status.NOT_FOUND });
  return one;
}

function end(id) {
  ended.push(id);
  return {};
}

const server = new grpc.Server({ "grpc.max_send_message_length": -1 });
const implementation = (rpc) => (call, done) => {
  const answer = () => {
    try {
      if (sane[rpc] === undefined) throw Object.assign(new Error(`no ${rpc}`), { code: grpc.status.UNIMPLEMENTED });
      done(null, sane[rpc](call.request));
    } catch (error) {
      done({ code: error.code ?? grpc.status.UNKNOWN, details: error.message });
    }
  };
  if (mode === "huge-errors") done({ code: grpc.status.UNKNOWN, details: "\u001b[31mx\n".repeat(1_000) });
  else if (mode === "huge")
    done(null, rpc === "Status" ? { info: { config: huge("[") } } : (sane[rpc]?.(call.request) ?? {}));
  else if (mode === "slow") setTimeout(answer, 5_000);
  else answer();
};
const events = (call) => {
  streams.add(call);
  call.on("cancelled", () => streams.delete(call));
};
let turn = 0;
setInterval(() => {
  if (mode !== "floods" && mode !== "floods-again") return;
  const ids = [...containers.keys()];
  const uid = Object.values(Object.fromEntries(sandboxes))[0]?.metadata.uid ?? "u";
  for (const call of streams) {
    for (let index = 0; index < 1_000; index++) {
      const containerId = mode === "floods" ? (ids[0] ?? "c") : `new-${turn++}`;
      const more = { containerEventType: index % 2 === 0 ? "CONTAINER_STOPPED_EVENT" : "CONTAINER_STARTED_EVENT" };
      const podSandboxStatus = { id: "s", metadata: { name: "a", uid }, labels: labels(uid, "a") };
      if (!call.write({ containerId, ...more, podSandboxStatus })) break;
    }
  }
}, 10);

for (const service of services) {
  server.addService(
    service,
    Object.fromEntries(
      Object.keys(service).map((rpc) => [rpc, rpc === "GetContainerEvents" ? events : implementation(rpc)]),
    ),
  );
}

const open = new Set();
const front = createServer((connection) => {
  open.add(connection);
  connection.on("error", () => {});
  connection.on("close", () => open.delete(connection));
  if (mode === "silent") connection.resume();
  else if (mode === "closes") connection.destroy();
  else if (mode === "garbage") connection.end(Buffer.alloc(64 * 1024, 0xa5));
  else if (mode === "http1") connection.end("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nno");
  else {
    const to = dial(inner);
    to.on("error", () => connection.destroy());
    to.on("close", () => connection.destroy());
    connection.on("close", () => to.destroy());
    connection.pipe(to).pipe(connection);
  }
});

process.on("message", (message) => {
  if (message !== "calls") {
    const raw = ["silent", "closes", "garbage", "http1"];
    if (raw.includes(message) || raw.includes(mode)) for (const one of open) one.destroy();
    mode = message;
  }
  process.send({ mode, ended });
});
process.on("disconnect", () => process.exit(0));

for (const file of [socket, inner]) rmSync(file, { force: true });
server.bindAsync(`unix://${inner}`, grpc.ServerCredentials.createInsecure(), (error) => {
  if (error) throw error;
  front.listen(socket, () => process.send({ mode, ended }));
});
