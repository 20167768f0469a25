/** Lists of the runtime that are larger than one answer can be. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { Server, ServerCredentials, type ServerUnaryCall, type sendUnaryData } from "@grpc/grpc-js";
import { loadSync, type ServiceDefinition } from "@grpc/proto-loader";
import { Labels } from "@hooklet/core";
import { withBoundedLists } from "@hooklet/core/internal";
import { systemClock } from "@hooklet/utils";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { Calls } from "../../src/calls.js";
import { CriContainers } from "../../src/containers.js";
import { GrpcClient } from "../../src/grpc-client.js";
import { Known } from "../../src/known.js";
import { criRuntimeOptions } from "../../src/options.js";
import { CriSandboxes } from "../../src/sandboxes.js";

interface Listed {
  readonly filter?: { readonly labelSelector?: Readonly<Record<string, string>> } | null;
}

let folder: string;
let server: Server;
/** Uid -> bytes of an annotation. */
let pods: ReadonlyMap<string, number>;

const labelsOf = (uid: string) => ({ [Labels.podUid]: uid, [Labels.podName]: uid, [Labels.podNamespace]: "default" });

function listed(
  call: ServerUnaryCall<Listed, object>,
  field: string,
  reply: sendUnaryData<object>,
  state: number,
): void {
  const uid = call.request.filter?.labelSelector?.[Labels.podUid];
  const items = [...pods]
    .filter(([own]) => uid === undefined || own === uid)
    .map(([own, bytes]) => ({
      id: `${field}-${own}`,
      podSandboxId: `items-${own}`,
      metadata: { name: "main", namespace: "default", uid: own },
      state,
      createdAt: 1,
      labels: labelsOf(own),
      annotations: { text: "x".repeat(bytes) },
    }));
  reply(null, { [field]: items });
}

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "hooklet-lists-"));
  // As containerd: what is larger is not sent.
  server = new Server({ "grpc.max_send_message_length": 16 * 1024 * 1024 });
  const proto = fileURLToPath(new URL("../../proto/cri.proto", import.meta.url));
  const service = loadSync(proto)["runtime.v1.RuntimeService"] as ServiceDefinition;
  server.addService(service, {
    ListPodSandbox: (call: ServerUnaryCall<Listed, object>, reply: sendUnaryData<object>) =>
      listed(call, "items", reply, 0),
    ListContainers: (call: ServerUnaryCall<Listed, object>, reply: sendUnaryData<object>) =>
      listed(call, "containers", reply, 1),
  });
  await new Promise<void>((resolve, reject) => {
    const bound = (error: Error | null): void => (error === null ? resolve() : reject(error));
    server.bindAsync(`unix://${folder}/s`, ServerCredentials.createInsecure(), bound);
  });
});

afterEach(async () => {
  server.forceShutdown();
  await rm(folder, { recursive: true });
});

const MIB = 1024 * 1024;

test("a list that is too large for one answer is read pod by pod, reported, and one pod that is too large costs itself alone", async () => {
  pods = new Map([
    ["a", 9 * MIB],
    ["b", 9 * MIB],
    ["huge", 17 * MIB],
    ["c", 10],
  ]);
  const clock = systemClock;
  const client = new GrpcClient(`unix://${folder}/s`, clock);
  const calls = new Calls(client, client, criRuntimeOptions.parse({ endpoint: `unix://${folder}/s` }));
  const known = new Known();
  const sandboxes = new CriSandboxes(calls, known, clock);
  const containers = new CriContainers(calls, known, clock);
  const runtime = {
    listSandboxes: ({ podUid }: { readonly podUid?: string } = {}) => sandboxes.list(podUid),
    listContainers: (filter = {}) => containers.list(filter),
  };
  const warnings: string[] = [];
  const bounded = withBoundedLists(runtime as never, {
    clock,
    knownUids: async () => ["a", "b", "huge", "c", "gone"],
    warn: (text) => void warnings.push(text),
  });
  const found = await Promise.all([bounded.listSandboxes(), bounded.listContainers()]);
  expect(found.map((list) => list.map(({ id }) => id))).toEqual([
    ["items-a", "items-b", "items-c"],
    ["containers-a", "containers-b", "containers-c"],
  ]);
  expect(warnings.filter((text) => text.includes("too large for one answer"))).toHaveLength(2);
  expect(warnings.filter((text) => text.includes("pod huge is too large"))).toHaveLength(2);
  client.close();
}, 60_000);
