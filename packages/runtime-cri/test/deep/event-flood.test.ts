/** A runtime that tells more events than a node can have. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { Server, ServerCredentials, type ServerWritableStream } from "@grpc/grpc-js";
import { loadSync, type ServiceDefinition } from "@grpc/proto-loader";
import { VirtualClock } from "@hooklet/testkit";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { GrpcClient } from "../../src/grpc-client.js";

const MESSAGES = 3_500;
let folder: string;
let server: Server;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "hooklet-flood-"));
  server = new Server();
  const proto = fileURLToPath(new URL("../../proto/cri.proto", import.meta.url));
  const service = loadSync(proto)["runtime.v1.RuntimeService"] as ServiceDefinition;
  server.addService(service, {
    GetContainerEvents: (call: ServerWritableStream<object, object>) => {
      for (let index = 0; index < MESSAGES; index++) call.write({ containerId: `c${index}` });
    },
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

test("a thousand events are taken in a second, and none is lost", async () => {
  const clock = new VirtualClock();
  const client = new GrpcClient(`unix://${folder}/s`, clock);
  const taken: string[] = [];
  let enough: () => void = () => undefined;
  const data = ({ containerId }: { readonly containerId: string }): void => {
    taken.push(containerId);
    if (taken.length % 1_000 === 0 || taken.length === MESSAGES) enough();
  };
  const cancel = client.stream("GetContainerEvents", {}, { data, ended: () => undefined });
  for (const expected of [1_000, 2_000, 3_000, MESSAGES]) {
    await new Promise<void>((resolve) => {
      enough = resolve;
      if (taken.length >= expected) resolve();
    });
    // What comes without the bound comes in these.
    for (let turn = 0; turn < 200; turn++) await new Promise((resolve) => setImmediate(resolve));
    expect(taken).toHaveLength(expected);
    await clock.advance(1_000);
  }
  expect(taken).toEqual(Array.from({ length: MESSAGES }, (_, index) => `c${index}`));
  cancel();
  client.close();
});
