import { VirtualClock } from "@hooklet/testkit";
import { expect, test } from "@jest/globals";
import { CallError, Code } from "../../src/call-errors.js";
import { connectTo } from "../../src/connect.js";

const away = (rpc = "Version") => new CallError(rpc, Code.UNAVAILABLE, "connect ENOENT /run/x.sock");

function runtime(answers: readonly (Error | undefined)[]) {
  const left = [...answers];
  const clock = new VirtualClock();
  const asked: unknown[] = [];
  const warnings: string[] = [];
  const calls = {
    call: async (rpc: string, request: object) => {
      asked.push([rpc, request]);
      const error = left.shift();
      if (error !== undefined) throw error;
      return { runtimeName: "containerd", runtimeVersion: "1.6" };
    },
  };
  const log = { warn: (text: string) => warnings.push(text) };
  const connecting = connectTo("unix:///run/x.sock", calls as never, { clock, log } as never);
  connecting.catch(() => undefined);
  return { clock, asked, warnings, connecting };
}

test("a runtime that answers Version and Status is connected to", async () => {
  const { connecting, asked, warnings } = runtime([]);
  expect(await connecting).toEqual({ runtimeName: "containerd", runtimeVersion: "1.6" });
  expect(asked).toEqual([
    ["Version", { version: "v1" }],
    ["Status", {}],
  ]);
  expect(warnings).toEqual([]);
});

test("a runtime that is just starting is tried twice a second, with one warning", async () => {
  const { clock, connecting, asked, warnings } = runtime([away(), away(), undefined, away("Status")]);
  await clock.advance(1_499);
  expect(asked).toHaveLength(4);
  await clock.advance(1);
  expect((await connecting).runtimeName).toBe("containerd");
  expect(warnings).toEqual(["no container runtime answers at unix:///run/x.sock yet; trying for 20 s"]);
});

test("after 20 seconds the error names the endpoint and the cause", async () => {
  const { clock, connecting } = runtime(Array.from({ length: 100 }, () => away()));
  let ended = false;
  connecting.catch(() => {
    ended = true;
  });
  await clock.advance(20_400);
  expect(ended).toBe(false);
  await clock.advance(200);
  await expect(connecting).rejects.toMatchObject({
    code: "unavailable",
    message: "no container runtime answers at unix:///run/x.sock: connect ENOENT /run/x.sock",
  });
});

test("another failure is no matter of patience", async () => {
  const { connecting } = runtime([new CallError("Version", Code.UNIMPLEMENTED, "unknown service")]);
  await expect(connecting).rejects.toMatchObject({
    code: "unimplemented",
    message:
      "the container runtime at unix:///run/x.sock: expected an answer to Version, found Unimplemented: unknown service",
  });
  await expect(runtime([new TypeError("a bug")]).connecting).rejects.toThrow(new TypeError("a bug"));
});
