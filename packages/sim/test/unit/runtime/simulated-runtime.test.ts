import { RuntimeError, type RuntimeEvent } from "@hooklet/core/host";
import { simulatedPrograms } from "@hooklet/testkit";
import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { containerConfig, sandboxConfig } from "../../../../testkit/src/runtime-suite/configs.js";
import { VirtualClock } from "../../../src/clock/virtual-clock.js";
import type { SimulatedRuntimeOptions } from "../../../src/runtime/simulated-port.js";
import { SimulatedRuntime } from "../../../src/runtime/simulated-runtime.js";

const programs = simulatedPrograms("box:1");

/** A started node with one pod, `pod-00000000`, and how to run containers in it. */
async function aNode(options: Partial<SimulatedRuntimeOptions> = {}) {
  const clock = new VirtualClock();
  const runtime = new SimulatedRuntime({ clock, images: [{ names: ["box:1"] }], ...options });
  await runtime.start();
  const sandbox = sandboxConfig("/nowhere", 0, "00000000-pod");
  const sandboxId = await runtime.runSandbox(sandbox);
  let attempt = 0;
  const run = async (command: readonly string[], name = "main"): Promise<string> => {
    const program = { image: "box:1", command };
    const config = containerConfig(program, "box:1", sandbox, { metadata: { name, attempt: attempt++ } });
    const id = await runtime.createContainer(sandboxId, config, sandbox);
    await runtime.startContainer(id);
    return id;
  };
  return { clock, runtime, run, sandbox, pod: sandbox.metadata.name };
}

test("a container without a script runs until TERM and then ends with 143", async () => {
  const { runtime, run } = await aNode();
  const id = await run(["some-server"]);
  await runtime.stopContainer(id, 30);
  expect(await runtime.containerStatus(id)).toMatchObject({ exitCode: 143, reason: "Error" });
});

test("sleep does not hear TERM: it is killed when its grace period is over", async () => {
  const { clock, runtime, run } = await aNode();
  const id = await run(["sleep", "3600"]);
  const stopped = runtime.stopContainer(id, 30);
  await clock.advance(29_999);
  expect(await runtime.containerStatus(id)).toMatchObject({ state: "CONTAINER_RUNNING" });
  await clock.advance(1);
  await stopped;
  expect(await runtime.containerStatus(id)).toMatchObject({ state: "CONTAINER_EXITED", exitCode: 137 });
});

test("a test can end a running container with any code, reason and message", async () => {
  const { runtime, run, pod } = await aNode();
  const id = await run(["some-server"]);
  runtime.exit(pod, "main", 137, { reason: "OOMKilled", message: "out of memory" });
  expect(await runtime.containerStatus(id)).toMatchObject({
    state: "CONTAINER_EXITED",
    exitCode: 137,
    reason: "OOMKilled",
    message: "out of memory",
  });
  expect(() => runtime.exit(pod, "main", 0)).toThrow("does not run, so it cannot exit");
  expect(() => runtime.exit(pod, "other", 0)).toThrow("has no container other of pod pod-00000000; it has main");
});

test("the last matching script wins", async () => {
  const { runtime, run, pod } = await aNode();
  runtime.script({ pod }, (process) => process.exit(1));
  runtime.script({ pod, container: "main" }, (process) => process.after(5000, () => process.exit(2)));
  runtime.script({ pod: "another" }, (process) => process.exit(3));
  await run(["x"], "main");
  await run(["x"], "side");
  expect(runtime.running(pod)).toEqual(["main"]);
});

test("nothing of a program happens after its end", async () => {
  const { clock, runtime, run, pod } = await aNode();
  runtime.script({}, (process) => {
    process.after(1000, () => process.print("too late"));
    process.after(500, () => process.exit(0));
  });
  await run(["x"]);
  await clock.advance(2000);
  expect(runtime.outputOf(pod, "main")).toBe("");
  expect(clock.pending).toBe(0);
});

test("exec results can be set by container and command, from now on", async () => {
  const { clock, runtime, run } = await aNode();
  const id = await run(["some-server"]);
  expect((await runtime.execSync(id, ["check"], 1)).exitCode).toBe(0);
  runtime.execResult({ container: "main", command: ["check"] }, { exitCode: 1, stderr: "not well", delay: 300 });
  const pending = runtime.execSync(id, ["check", "--deep"], 1);
  await clock.advance(300);
  const result = await pending;
  expect([result.exitCode, result.stderr.toString()]).toEqual([1, "not well"]);
  expect((await runtime.execSync(id, ["other"], 1)).exitCode).toBe(0);
});

test("an exec is refused in a container that has ended, and takes no longer than it may", async () => {
  const { clock, runtime, run, pod } = await aNode();
  const id = await run(["some-server"]);
  const late = expect(runtime.execSync(id, ["sleep", "60"], 2)).rejects.toMatchObject({
    code: "deadline-exceeded",
    message: 'command "sleep 60" timed out after 2s',
  });
  await clock.advance(2_000);
  await late;
  runtime.exit(pod, "main", 1);
  await expect(runtime.execSync(id, ["check"], 1)).rejects.toMatchObject({
    code: "failed-precondition",
    message: `container ${id} is not running`,
  });
});

test("an exec ends with its container", async () => {
  const { runtime, run, pod } = await aNode();
  const id = await run(["some-server"]);
  const hanging = runtime.execSync(id, ["ignore-term"], 0);
  await Promise.resolve();
  runtime.exit(pod, "main", 1);
  expect((await hanging).exitCode).toBe(137);
});

test("failNext fails that many calls of one operation and leaves the others alone", async () => {
  const { runtime } = await aNode();
  runtime.failNext("removeImage", "in use", 2);
  runtime.failNext("removeImage", new RuntimeError("unavailable", "gone"));
  await expect(runtime.removeImage("box:1")).rejects.toMatchObject({ name: "RuntimeError", message: "in use" });
  expect(await runtime.listImages()).toHaveLength(1);
  await expect(runtime.removeImage("box:1")).rejects.toThrow("in use");
  await expect(runtime.removeImage("box:1")).rejects.toMatchObject({ code: "unavailable" });
  await runtime.removeImage("box:1");
  expect(await runtime.listImages()).toEqual([]);
});

test("a delayed call does its work when the delay is over, and is given up with its signal", async () => {
  const { clock, runtime } = await aNode();
  runtime.delay("pullImage", 10_000);
  const pull = runtime.pullImage("web:2");
  await clock.advance(9999);
  expect(await runtime.imageStatus("web:2")).toBeUndefined();
  await clock.advance(1);
  expect((await runtime.imageStatus("web:2"))?.id).toBe(await pull);

  const stop = new AbortController();
  const given = runtime.pullImage("web:3", stop.signal);
  stop.abort(new Error("pod is gone"));
  await expect(given).rejects.toThrow("pod is gone");
  expect(clock.pending).toBe(0);
});

test("calls are counted, and reads are no writes", async () => {
  const { runtime, run } = await aNode();
  const before = runtime.writes;
  await runtime.listContainers();
  await runtime.health();
  expect(runtime.calls.listContainers).toBe(1);
  expect(runtime.writes).toBe(before);
  await run(["true"]);
  expect(runtime.writes).toBe(before + 2);
});

test("dropped events are lost, later ones arrive", async () => {
  const { clock, runtime, run } = await aNode();
  await clock.settle();
  const heard: RuntimeEvent["type"][] = [];
  runtime.subscribe?.((event) => heard.push(event.type));
  runtime.dropEvents(2);
  await run(["true"]);
  await clock.settle();
  expect(heard).toEqual(["CONTAINER_STOPPED"]);
});

test("without events the runtime offers no subscribe", async () => {
  expect((await aNode({ events: false })).runtime.subscribe).toBeUndefined();
});

test("a lost sandbox takes its containers down with 137", async () => {
  const { runtime, run, pod, sandbox } = await aNode();
  const id = await run(["some-server"]);
  runtime.loseSandbox(pod);
  expect(await runtime.listSandboxes({ podUid: sandbox.metadata.uid })).toMatchObject([{ state: "SANDBOX_NOTREADY" }]);
  expect(await runtime.containerStatus(id)).toMatchObject({ exitCode: 137, state: "CONTAINER_EXITED" });
});

test("the same attempt of a sandbox or container twice is refused, so that no pod is doubled", async () => {
  const { runtime, sandbox } = await aNode();
  await expect(runtime.runSandbox(sandbox)).rejects.toMatchObject({ code: "already-exists" });
});

test("an agent that calls before start or after close is refused", async () => {
  const { runtime } = await aNode();
  await runtime.close();
  await expect(runtime.listContainers()).rejects.toMatchObject({ code: "unavailable" });
  await runtime.start();
  expect(await runtime.listSandboxes()).toHaveLength(1);
});

test("images use space of the image file system, and removing them frees it", async () => {
  const { runtime } = await aNode({
    imageFs: { capacity: 1000, available: 400 },
    images: [{ names: ["a:1"], size: 100 }],
  });
  expect(await runtime.imageFsInfo()).toMatchObject({ capacityBytes: 1000, availableBytes: 400, usedBytes: 100 });
  runtime.publishImage({ names: ["b:1"], size: 300 });
  await runtime.pullImage("b:1");
  expect(await runtime.imageFsInfo()).toMatchObject({ availableBytes: 100, usedBytes: 400 });
  await runtime.removeImage("a:1");
  expect(await runtime.imageFsInfo()).toMatchObject({ availableBytes: 200, usedBytes: 300 });
  runtime.setImageFs({ available: 50 });
  expect(await runtime.imageFsInfo()).toMatchObject({ capacityBytes: 1000, availableBytes: 50 });
});

test("an image answers to its id, its names and its digest; a name without a tag means latest", async () => {
  const { runtime } = await aNode();
  const id = runtime.addImage({ names: ["registry:5000/web", "web:stable"], size: 5 });
  for (const name of [id, "registry:5000/web", "registry:5000/web:latest", "web:stable", `web@${id}`]) {
    expect([name, (await runtime.imageStatus(name))?.id]).toEqual([name, id]);
  }
  expect(await runtime.imageStatus("web")).toBeUndefined();
});

test("a tag that moves to a new image leaves the old one without it", async () => {
  const { runtime } = await aNode();
  const old = runtime.addImage({ id: "sha256:old", names: ["web:1", "web:old"] });
  runtime.addImage({ id: "sha256:new", names: ["web:1"] });
  expect((await runtime.imageStatus(old))?.repoTags).toEqual(["web:old"]);
  expect((await runtime.imageStatus("web:1"))?.id).toBe("sha256:new");
});

test("the same calls give the same ids, times and events", async () => {
  const life = async (): Promise<string> => {
    const { clock, runtime, run } = await aNode();
    const events: RuntimeEvent[] = [];
    runtime.subscribe?.((event) => events.push(event));
    await run(["sleep", "5"]);
    await run(["exit-after", "3", "4"], "side");
    await clock.advance(10_000);
    const statuses = await Promise.all((await runtime.listContainers()).map(({ id }) => runtime.containerStatus(id)));
    return JSON.stringify({ events, statuses }, (_, value) => (typeof value === "bigint" ? `${value}n` : value));
  };
  expect(await life()).toBe(await life());
});

test("in any order of calls, a container never leaves EXITED and its end is never before its start", async () => {
  const step = fc.constantFrom("start", "stop", "kill", "pass", "exit", "remove");
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
      const { clock, runtime, sandbox, pod } = await aNode();
      const [{ id: sandboxId } = { id: "" }] = await runtime.listSandboxes();
      const id = await runtime.createContainer(
        sandboxId,
        containerConfig(programs.runsUntilTerm(0), "box:1", sandbox, {}),
        sandbox,
      );
      let ended = false;
      for (const name of steps) {
        const acts: Record<typeof name, () => unknown> = {
          start: () => runtime.startContainer(id),
          stop: () => runtime.stopContainer(id, 1),
          kill: () => runtime.stopContainer(id, 0),
          pass: () => clock.advance(700),
          exit: () => runtime.exit(pod, "main", 1),
          remove: () => runtime.removeContainer(id),
        };
        await Promise.resolve()
          .then(acts[name])
          .catch((error: unknown) => {
            // Only refusals are expected: of a second start, of an exit without a run, of what was removed.
            if (!/started already|so it cannot exit|no container/.test(String(error))) throw error;
          });
        const status = await runtime.containerStatus(id).catch(() => undefined);
        if (status === undefined) return;
        if (ended) expect(status.state).toBe("CONTAINER_EXITED");
        ended = status.state === "CONTAINER_EXITED";
        if (ended) expect(status.finishedAt).toBeGreaterThanOrEqual(status.startedAt);
      }
    }),
    { numRuns: 150 },
  );
});

test("a missing container or pod is an error with the existing ones", async () => {
  const { runtime, run, pod } = await aNode();
  expect(() => runtime.idOf(pod, "main")).toThrow(`no container main of pod ${pod}; it has none of that pod.`);
  await run(["some-server"]);
  await run(["some-server"]);
  await run(["some-server"], "side");
  expect(() => runtime.idOf(pod, "other")).toThrow(`no container other of pod ${pod}; it has main, side.`);
  expect(() => runtime.loseSandbox("elsewhere")).toThrow("no sandbox of pod elsewhere");
});

test("of containers with one name in a pod the newest is meant", async () => {
  const { runtime, run, pod } = await aNode();
  await run(["some-server"]);
  const second = await run(["some-server"]);
  await run(["some-server"], "side");
  expect(runtime.idOf(pod, "main")).toBe(second);
});
