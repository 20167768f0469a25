import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Annotations, type ContainerStatus, RuntimeError } from "@hooklet/cri-api";
import { VirtualClock } from "@hooklet/testkit";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { isSandboxReady, type ObserveOptions, observation, statusOf } from "../../../../src/pod/life/observe.js";
import { aPod } from "../../../pod/pods.js";
import { anExit, aSandbox } from "../../../pod/runtime-objects.js";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), "hooklet-observe-"));
  writeFileSync(path.join(folder, "message"), "out of money");
  writeFileSync(path.join(folder, "log"), "last words");
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Seen at second 60 of the epoch, when the clock runs for 45 s. */
async function seen(status: ContainerStatus, options?: ObserveOptions) {
  const clock = new VirtualClock({ start: 15_000 });
  await clock.advance(45_000);
  const places: unknown[] = [];
  const terminationLog = (...place: unknown[]): string => {
    places.push(place);
    return path.join(folder, "message");
  };
  const ports = { clock, runtime: { logFormat: "raw" as const }, volumes: { terminationLog } };
  return { seen: await observation(ports, aPod(), status, options), places };
}

test("a container that runs is seen with its image and since when it runs", async () => {
  expect((await seen(anExit({ state: "CONTAINER_RUNNING" }, "main", 3))).seen).toEqual({
    kind: "running",
    id: "main-3",
    attempt: 3,
    startedAt: 10_000,
    imageRef: "sha256:app",
  });
});

test.each<ContainerStatus["state"]>(["CONTAINER_CREATED", "CONTAINER_UNKNOWN"])("%s says nothing", async (state) => {
  expect((await seen(anExit({ state }))).seen).toBeUndefined();
});

test("an exit counts from the time at which it happened, by the clock of the agent", async () => {
  expect((await seen(anExit({}, "main", 3))).seen).toEqual({
    kind: "exited",
    exit: {
      id: "main-3",
      attempt: 3,
      exitCode: 7,
      reason: "Error",
      message: "",
      startedAt: 10_000,
      finishedAt: 20_000,
      seen: 5_000,
      imageRef: "sha256:app",
    },
  });
});

test("an exit of the future counts from now on", async () => {
  expect((await seen(anExit({ finishedAt: 99_000_000_000n }))).seen).toMatchObject({ exit: { seen: 45_000 } });
});

test.each<[Partial<ContainerStatus>, string]>([
  [{ exitCode: 0 }, "Completed"],
  [{ exitCode: 1 }, "Error"],
  [{ exitCode: 0, reason: "OOMKilled" }, "OOMKilled"],
])("of an exit with %j the reason is %s", async (status, reason) => {
  expect((await seen(anExit(status))).seen).toMatchObject({ exit: { reason } });
});

test("an exit in another sandbox than the pod's current one is stale", async () => {
  const stale = async (options?: ObserveOptions) => {
    const { seen: found } = await seen(anExit(), options);
    return found?.kind === "exited" ? found.exit.stale : "no exit";
  };
  expect([await stale(), await stale({ sandboxId: "s0" }), await stale({ sandboxId: "s1" })]).toEqual([
    undefined,
    undefined,
    true,
  ]);
});

const withFile = { [Annotations.terminationMessagePath]: "/dev/termination-log" };
const withLog = { [Annotations.terminationMessagePolicy]: "FallbackToLogsOnError" };

test.each<[string, Partial<ContainerStatus>, string]>([
  ["the runtime's", { message: "killed" }, "killed"],
  ["what the container wrote into its file", { annotations: withFile }, "out of money"],
  ["both", { message: "killed", annotations: withFile }, "killed: out of money"],
  ["not that of its log by default", { annotations: { [Annotations.terminationMessagePolicy]: "File" } }, ""],
  ["the end of its log if the pod wants it", { annotations: withLog }, "last words"],
])("the message of an exit is %s", async (_, status, message) => {
  const exit = anExit({ logPath: path.join(folder, "log"), ...status });
  expect((await seen(exit)).seen).toMatchObject({ exit: { message } });
});

test("the file of a message is that of the container's attempt", async () => {
  expect((await seen(anExit({ annotations: withFile }, "main", 3))).places).toEqual([[aPod(), "main", 3]]);
});

const gone = new RuntimeError("not-found", "no such id");
const down = new RuntimeError("unavailable", "connection refused");
const throwing = (error: Error) => async (): Promise<never> => {
  throw error;
};

test("a container that is gone has no status; an error is none of that", async () => {
  expect(await statusOf({ containerStatus: async () => anExit() }, "c")).toEqual(anExit());
  expect(await statusOf({ containerStatus: throwing(gone) }, "c")).toBeUndefined();
  await expect(statusOf({ containerStatus: throwing(down) }, "c")).rejects.toBe(down);
});

test("a sandbox that is dead or gone is not ready; an error says nothing", async () => {
  expect(await isSandboxReady({ sandboxStatus: async () => aSandbox() }, "s")).toBe(true);
  expect(await isSandboxReady({ sandboxStatus: async () => aSandbox({ state: "SANDBOX_NOTREADY" }) }, "s")).toBe(false);
  expect(await isSandboxReady({ sandboxStatus: throwing(gone) }, "s")).toBe(false);
  await expect(isSandboxReady({ sandboxStatus: throwing(down) }, "s")).rejects.toBe(down);
});
