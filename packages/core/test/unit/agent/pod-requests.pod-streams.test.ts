import { expect, test } from "@jest/globals";
import { podStreams, type StreamsParts } from "../../../src/agent/pod-requests.js";
import { aContainer, aPod } from "../../pod/pods.js";

const pod = aPod({ containers: [aContainer("main"), aContainer("side")] }, { name: "web", uid: "u" });

/** A pod whose container `main` runs as c-main. */
function streams(runtime: object, sandbox: object = { kind: "ready", id: "s1" }) {
  const parts = {
    manager: {
      running: ({ podUid, container }: { podUid: string; container: string }) =>
        container === "main" ? { containerId: `c-${container}-${podUid}` } : undefined,
      worker: () => ({ state: { sandbox } }),
    },
    runtime: { name: "sample", ...runtime },
    pod: () => pod,
  };
  return podStreams(parts as unknown as StreamsParts);
}

const name = { name: "web", namespace: "default" };
const options = { command: ["ls"], tty: false, stdin: false };
const output = (): void => undefined;

test("a command runs in the container that is meant, by default the first", async () => {
  const asked: unknown[] = [];
  const { exec } = streams({ exec: async (...words: unknown[]) => void asked.push(words) });
  await exec(name, undefined, options, output);
  await exec(name, "main", options, output);
  expect(asked).toEqual(Array(2).fill(["c-main-u", options, output]));
});

test("a container that does not run, and one that is not there, run no command", async () => {
  const { exec } = streams({});
  await expect(exec(name, "side", options, output)).rejects.toThrow("container side of pod web");
  await expect(exec(name, "nope", options, output)).rejects.toMatchObject({
    code: "NOT_FOUND",
    message: expect.stringContaining("in pod web"),
  });
});

test("a port is forwarded into the pod's sandbox, where the runtime can do that", async () => {
  const { portForward } = streams({ portForward: async (...words: unknown[]) => words });
  expect(await portForward(name, 80)).toEqual(["s1", 80]);
  await expect(streams({}).portForward(name, 80)).rejects.toThrow(
    /^runtime sample cannot forward ports into pods.*Connect to the pod's IP from the node\.$/,
  );
});

test.each([{ kind: "none" }, { kind: "stopped", id: "s1" }])(
  "a pod with the sandbox %j has no ports",
  async (sandbox) => {
    const { portForward } = streams({ portForward: async () => undefined }, sandbox);
    await expect(portForward(name, 80)).rejects.toThrow("pod web");
  },
);

test("a stream has the runtime's URL, for the container or the sandbox; without one, none", async () => {
  const { streamUrl } = streams({ streamUrl: async (request: unknown) => request });
  const exec = {
    kind: "exec" as const,
    container: "main",
    command: ["ls"],
    tty: false,
    stdin: false,
    stdout: true,
    stderr: true,
  };
  expect(await streamUrl(name, exec as never)).toEqual({
    kind: "exec",
    command: ["ls"],
    tty: false,
    stdin: false,
    stdout: true,
    stderr: true,
    containerId: "c-main-u",
  });
  const forward = { kind: "portForward", ports: [80] };
  expect(await streamUrl(name, forward as never)).toEqual({ ...forward, sandboxId: "s1" });
  expect(await streams({}).streamUrl(name, forward as never)).toBeUndefined();
});
