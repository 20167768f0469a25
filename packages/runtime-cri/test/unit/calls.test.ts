/** Which of the two endpoints a call goes to, and how long the runtime has for it. */
import { expect, test } from "@jest/globals";
import { Calls } from "../../src/calls.js";
import type { GrpcClient } from "../../src/grpc-client.js";
import type { Rpc } from "../../src/wire.js";

function calling() {
  const made: unknown[][] = [];
  const client = (name: string) =>
    ({
      call: async (...words: unknown[]) => made.push([name, ...words]),
      execSync: async (...words: unknown[]) => made.push([name, "own connection", ...words]),
    }) as unknown as GrpcClient;
  return { made, calls: new Calls(client("runtime"), client("images"), { runtimeRequestTimeout: 120 }) };
}

test.each<[rpc: Rpc, request: object, endpoint: string, deadline: number]>([
  ["ListContainers", {}, "runtime", 120_000],
  ["StopPodSandbox", { podSandboxId: "s" }, "runtime", 120_000],
  ["RunPodSandbox", {}, "runtime", 240_000],
  ["StopContainer", { timeout: 0n }, "runtime", 120_000],
  ["StopContainer", { timeout: 30n }, "runtime", 150_000],
  ["ListImages", {}, "images", 120_000],
  ["ImageStatus", {}, "images", 120_000],
  ["PullImage", {}, "images", 3_600_000],
  ["RemoveImage", {}, "images", 120_000],
  ["ImageFsInfo", {}, "images", 120_000],
])("%s of %j goes to the endpoint of %s, within %d ms", async (rpc, request, endpoint, deadline) => {
  const { made, calls } = calling();
  const { signal } = new AbortController();
  await calls.call(rpc, request, signal);
  expect(made).toEqual([[endpoint, rpc, request, deadline, signal]]);
});

test.each([
  ["5 s beyond the timeout that the runtime keeps", { timeout: 10n }, 15_000],
  ["a day where there is no timeout", { timeout: 0n }, 86_400_000],
  ["a day where none is named", {}, 86_400_000],
])("a command that is waited for has %s, on a connection for such commands alone", async (_name, request, deadline) => {
  const { made, calls } = calling();
  await calls.call("ExecSync", request);
  expect(made).toEqual([["runtime", "own connection", request, deadline]]);
});
