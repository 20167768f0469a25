/** What an attempt asks of the network or the runtime, and what becomes of an answer. */
import { RuntimeError } from "@hooklet/core/host";
import { VirtualClock } from "@hooklet/testkit";
import { describe, expect, test } from "@jest/globals";
import { attempt, execCommand } from "../../../src/handlers/attempt.js";
import type { Probe, ProbeSpec } from "../../../src/types.js";

const container = { name: "main", ports: [{ name: "web", containerPort: 80 }], env: [{ name: "A", value: "1" }] };
const answer = { stdout: Buffer.from("out"), stderr: Buffer.from("err"), exitCode: 0 };

async function tried(
  probe: Probe,
  {
    run = async () => answer,
    milliseconds = 1_000,
    wait = 0,
  }: {
    readonly run?: () => Promise<unknown>;
    readonly milliseconds?: number;
    readonly wait?: number;
  } = {},
) {
  const clock = new VirtualClock();
  const asked: unknown[] = [];
  const takes = (kind: string) => async (_clock: unknown, request: object) => {
    asked.push({ kind, ...request });
    return { result: "success" as const, output: kind };
  };
  const ports = {
    clock,
    network: { http: takes("http"), tcp: takes("tcp"), grpc: takes("grpc") },
    runtime: {
      execSync: (...words: readonly unknown[]) => {
        asked.push(words);
        return run();
      },
    },
  };
  const spec = { probe, timeoutMilliseconds: milliseconds, tls: true } as ProbeSpec;
  const subject = { container, containerId: "c", podIp: "10.0.0.1" };
  const done = attempt(ports as never, spec, subject as never);
  await clock.advance(wait);
  return { result: await done, asked };
}
const error = (text: string) => ({ result: "unknown", output: "", error: text });

describe("the network is asked", () => {
  test.each<readonly [string, Probe, object]>([
    [
      "for a URL",
      { httpGet: { port: "web", path: "/x", httpHeaders: [{ name: "X-A", value: "b" }] } },
      {
        kind: "http",
        url: expect.objectContaining({ host: "10.0.0.1", port: 80, path: "/x" }),
        headers: { "X-A": ["b"] },
      },
    ],
    ["for a port", { tcpSocket: { port: 80, host: "h" } }, { kind: "tcp", host: "h", port: 80 }],
    [
      "for a service",
      { grpc: { port: 90, service: "s" } },
      { kind: "grpc", host: "10.0.0.1", port: 90, service: "s", tls: true },
    ],
  ])("%s, for as long as the probe says", async (_name, probe, request) => {
    const { result, asked } = await tried(probe);
    expect(asked).toEqual([expect.objectContaining({ ...request, timeoutMilliseconds: 1_000 })]);
    expect(result.result).toBe("success");
  });

  test("for nothing where the port is none, or there is no handler", async () => {
    expect(await tried({ tcpSocket: { port: 0 } })).toEqual({ result: error("invalid port number: 0"), asked: [] });
    expect(await tried({})).toEqual({ result: error("missing probe handler for main"), asked: [] });
  });
});

describe("a command", () => {
  const exec: Probe = { exec: { command: ["echo", "$(A)"] } };

  test("succeeds with 0, with both outputs, and fails otherwise", async () => {
    expect(await tried(exec)).toEqual({
      result: { result: "success", output: "outerr" },
      asked: [["c", ["echo", "1"], 1]],
    });
    const run = async () => ({ ...answer, exitCode: 3 });
    expect((await tried(exec, { run })).result).toEqual({ result: "failure", output: "outerr" });
    expect((await tried({ exec: {} })).asked).toEqual([["c", [], 1]]);
  });

  const timedOut = (after: string) => ({
    result: "failure",
    output: `command timed out: "echo 1" timed out after ${after}`,
  });
  const never = () => new Promise<never>(() => undefined);

  test("that the runtime ended for its time fails", async () => {
    const run = () => Promise.reject(new RuntimeError("deadline-exceeded", "late"));
    expect((await tried(exec, { run, milliseconds: 2_000 })).result).toEqual(timedOut("2s"));
  });

  test("of whole seconds has a second more until the runtime says so; a part of one is kept here", async () => {
    expect((await tried(exec, { run: never, wait: 2_000 })).result).toEqual(timedOut("1s"));
    const { result, asked } = await tried(exec, { run: never, milliseconds: 1_500, wait: 1_500 });
    expect([result, asked]).toEqual([timedOut("1.5s"), [["c", ["echo", "1"], 2]]]);
  });

  test("that cannot be run is no verdict", async () => {
    const run = () => Promise.reject(new RuntimeError("unavailable", "no runtime"));
    expect((await tried(exec, { run })).result).toEqual(error("no runtime"));
  });

  test("has the container's own variables, of which others' values are empty", () => {
    const env = [{ name: "A", value: "1" }, { name: "B" }];
    expect(execCommand(["$(A)$(B)", "$(C)", "$$(A)"], env)).toEqual(["1", "$(C)", "$(A)"]);
    expect(execCommand(["$(A)"])).toEqual(["$(A)"]);
  });
});
