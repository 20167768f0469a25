/** What a container runtime answers. An input's first byte says to which call, the others are the answer as protobuf writes it. */
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http2";
import { tmpdir } from "node:os";
import path from "node:path";
import { loadSync, type MethodDefinition } from "@grpc/proto-loader";
import { isRuntimeError } from "@hooklet/core";
import { CriRuntime, criRuntimeOptions } from "@hooklet/runtime-cri";
import { systemClock } from "@hooklet/utils";
import { pino } from "pino";
import type { Target } from "../target.js";
import { checkContainers, checkNumbers, checkSandboxes } from "./cri-checks.js";
import { ROOT } from "./seeds.js";

const labels = {
  "io.kubernetes.pod.uid": "u1",
  "io.kubernetes.pod.name": "web",
  "io.kubernetes.pod.namespace": "default",
};
const container = {
  id: "c1",
  podSandboxId: "s1",
  metadata: { name: "main", attempt: 1 },
  image: { image: "busybox:1.36", runtimeHandler: "kata" },
  imageRef: "sha256:aaaa",
  imageId: "sha256:aaaa",
  state: "CONTAINER_RUNNING",
  createdAt: "1700000000000000000",
  labels,
  annotations: { a: "b" },
};
const sandbox = {
  id: "s1",
  metadata: { name: "web", uid: "u1", namespace: "default", attempt: 0 },
  state: "SANDBOX_READY",
  createdAt: "1700000000000000000",
  labels,
  annotations: {},
};
const image = {
  id: "sha256:aaaa",
  repoTags: ["busybox:1.36"],
  repoDigests: ["busybox@sha256:aaaa"],
  size: "4000000",
  spec: { image: "busybox:1.36", runtimeHandler: "kata" },
};
const fileSystem = { fsId: { mountpoint: "/var/lib" }, usedBytes: { value: "5" }, inodesUsed: { value: "6" } };

interface Call {
  readonly rpc: string;
  readonly answer: object;
  /** Asks, and checks what comes out. */
  ask(runtime: CriRuntime): Promise<unknown>;
}

const CALLS: readonly Call[] = [
  {
    rpc: "ListContainers",
    answer: { containers: [container, { ...container, id: "c2", state: "CONTAINER_EXITED" }] },
    ask: async (runtime) => checkContainers(await runtime.listContainers()),
  },
  {
    rpc: "ContainerStatus",
    answer: {
      status: {
        ...container,
        startedAt: "1700000001000000000",
        finishedAt: "0",
        exitCode: 137,
        reason: "OOMKilled",
        message: "x",
        mounts: [{ containerPath: "/a", hostPath: "/b", propagation: "PROPAGATION_PRIVATE", image: { image: "v" } }],
        logPath: "/var/log/x",
        user: { linux: { uid: "0", gid: "0", supplementalGroups: ["1"] } },
      },
    },
    ask: async (runtime) => checkContainers([await runtime.containerStatus("c1")]),
  },
  {
    rpc: "ListPodSandbox",
    answer: { items: [sandbox, { ...sandbox, id: "s2", state: "SANDBOX_NOTREADY" }] },
    ask: async (runtime) => checkSandboxes(await runtime.listSandboxes()),
  },
  {
    rpc: "PodSandboxStatus",
    answer: { status: { ...sandbox, network: { ip: "10.0.0.1", additionalIps: [{ ip: "::1" }] } } },
    ask: async (runtime) => checkSandboxes([await runtime.sandboxStatus("s1")]),
  },
  {
    rpc: "ListImages",
    answer: { images: [image, image] },
    ask: async (runtime) => checkNumbers(await runtime.listImages()),
  },
  {
    rpc: "ImageStatus",
    answer: { image: { ...image, uid: { value: "1000" }, username: "app", pinned: true } },
    ask: async (runtime) => checkNumbers(await runtime.imageStatus("busybox:1.36")),
  },
  {
    rpc: "ImageFsInfo",
    answer: { imageFilesystems: [fileSystem], containerFilesystems: [fileSystem] },
    ask: async (runtime) => checkNumbers(await runtime.imageFsInfo()),
  },
  {
    rpc: "ListContainerStats",
    answer: {
      stats: [
        {
          attributes: { id: "c1", labels },
          cpu: { usageCoreNanoSeconds: { value: "7" } },
          memory: { workingSetBytes: { value: "8" } },
          writableLayer: fileSystem,
        },
      ],
    },
    ask: async (runtime) => checkNumbers(await runtime.listContainerStats()),
  },
  {
    rpc: "ExecSync",
    answer: { stdout: Buffer.from("out"), stderr: Buffer.from("err"), exitCode: 3 },
    ask: (runtime) => runtime.execSync("c1", ["id"], 1),
  },
  {
    rpc: "Status",
    answer: {
      status: { conditions: [{ type: "RuntimeReady", status: true }] },
      info: { config: '{"sandboxImage":"pause:3.6","containerd":{"runtimes":{"runc":{}}}}' },
      runtimeHandlers: [{ name: "runc" }],
    },
    ask: (runtime) => runtime.health(),
  },
  { rpc: "Exec", answer: { url: "http://127.0.0.1:1/exec/x" }, ask: (runtime) => openAndClose(runtime) },
  { rpc: "PullImage", answer: { imageRef: "sha256:aaaa" }, ask: (runtime) => runtime.pullImage("busybox:1.36") },
];

/** The url leads nowhere that answers: what is fuzzed is what it may say. */
async function openAndClose(runtime: CriRuntime): Promise<void> {
  const exec = await runtime.exec("c1", { command: ["id"], tty: false, stdin: false }, () => {});
  exec.abort();
  await exec.exitCode;
}

export const criAnswers: Target = {
  name: "CRI answers",
  weight: 25,
  cost: { milliseconds: 100, nanosecondsPerByte: 10_000 },
  seeds: () =>
    CALLS.map(({ rpc, answer }, index) =>
      Buffer.concat([Buffer.of(index), methods().get(rpc)?.responseSerialize(answer) ?? Buffer.of()]),
    ),
  async open() {
    const folder = mkdtempSync(path.join(tmpdir(), "hooklet-fuzz-"));
    const socket = path.join(folder, "s");
    let answer = Buffer.alloc(0);
    const server = createServer();
    server.on("stream", (stream) => {
      stream.on("error", () => {});
      stream.respond({ ":status": 200, "content-type": "application/grpc" }, { waitForTrailers: true });
      stream.on("wantTrailers", () => stream.sendTrailers({ "grpc-status": "0" }));
      const head = Buffer.alloc(5);
      head.writeUInt32BE(answer.length, 1);
      stream.end(Buffer.concat([head, answer]));
    });
    await new Promise<void>((resolve) => server.listen(socket, resolve));
    const runtime = new CriRuntime(
      { clock: systemClock, log: pino({ level: "silent" }), rootDir: folder, nodeName: "node" },
      criRuntimeOptions.parse({ endpoint: `unix://${socket}` }),
      undefined,
    );
    return {
      async run(input) {
        const call = CALLS[(input[0] ?? 0) % CALLS.length] as Call;
        answer = Buffer.from(input.subarray(1));
        try {
          await call.ask(runtime);
          return "accepted";
        } catch (error) {
          if (isRuntimeError(error)) return "refused";
          throw error;
        }
      },
      async close() {
        await runtime.close();
        server.close();
        rmSync(folder, { recursive: true, force: true });
      },
    };
  },
};

function methods(): ReadonlyMap<string, MethodDefinition<object, object>> {
  const loaded = loadSync(path.join(ROOT, "packages/runtime-cri/proto/cri.proto"), { longs: String, enums: String });
  return new Map(
    Object.values(loaded).flatMap((one) => ("format" in one ? [] : Object.entries(one))) as [
      string,
      MethodDefinition<object, object>,
    ][],
  );
}
