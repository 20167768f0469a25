import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Annotations, type ContainerStatus, RuntimeError } from "@hooklet/cri-api";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { removeDeadContainer, removeDeadSandbox } from "../../../src/agent/remove-dead.js";
import { anExit } from "../../pod/runtime-objects.js";

let folder: string;
let log: string[];
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "hooklet-remove-dead-"));
  log = [];
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function file(name: string): string {
  const at = path.join(folder, name);
  mkdirSync(path.dirname(at), { recursive: true });
  writeFileSync(at, "");
  return at;
}

const call = async (text: string): Promise<void> => void log.push(text);

function parts(found: ContainerStatus | undefined) {
  return {
    podLogsDir: path.join(folder, "logs"),
    rootDir: path.join(folder, "root"),
    runtime: {
      containerStatus: async () => {
        if (found === undefined) throw new RuntimeError("not-found", "no such container");
        return found;
      },
      listContainers: async () => (found === undefined ? [] : [found]),
      stopContainer: (id: string, seconds: number) => call(`stop ${id} within ${seconds} s`),
      removeContainer: (id: string) => call(`remove ${id}`),
      stopSandbox: (id: string) => call(`stop ${id}`),
      removeSandbox: (id: string) => call(`remove ${id}`),
    },
  };
}

const withMessage = (hostPath: string): Partial<ContainerStatus> => ({
  annotations: { [Annotations.terminationMessagePath]: "/dev/termination-log" },
  mounts: [
    { containerPath: "/dev/termination-log", hostPath, readonly: false, selinuxRelabel: false, propagation: "PRIVATE" },
  ],
});

describe("a container that is dead", () => {
  test("goes with its log, what was rotated away from that, and its termination message", async () => {
    const logs = [file("logs/main/0.log"), file("logs/main/0.log.20260101"), file("logs/main/1.log")];
    const message = file("root/pods/u1/containers/main/abc");
    await removeDeadContainer(parts(anExit({ logPath: logs[0] ?? "", ...withMessage(message) })), "c");
    expect([...logs, message].map((one) => existsSync(one))).toEqual([false, false, true, false]);
    expect(log).toEqual(["remove c"]);
  });

  test("leaves its log where that is wanted", async () => {
    const logPath = file("logs/main/0.log");
    const message = file("root/pods/u1/containers/main/abc");
    await removeDeadContainer(parts(anExit({ logPath, ...withMessage(message) })), "c", "log");
    expect([existsSync(logPath), existsSync(message)]).toEqual([true, false]);
  });

  test("leaves files of others, and of the pod's volumes", async () => {
    const others = [file("logs-of-others/0.log"), file("root/other/abc"), file("root/pods/u1/volumes/v/abc")];
    await removeDeadContainer(parts(anExit({ logPath: others[0] ?? "" })), "c");
    for (const hostPath of others.slice(1)) await removeDeadContainer(parts(anExit(withMessage(hostPath))), "c");
    expect(others.map((one) => existsSync(one))).toEqual([true, true, true]);
  });

  test("of unknown state is stopped before", async () => {
    await removeDeadContainer(parts(anExit({ state: "CONTAINER_UNKNOWN" })), "c");
    expect(log).toEqual(["stop c within 0 s", "remove c"]);
  });

  test("is none while it runs", async () => {
    await expect(removeDeadContainer(parts(anExit({ state: "CONTAINER_RUNNING" })), "c")).rejects.toMatchObject({
      code: "failed-precondition",
      message: expect.stringContaining("container c is not dead: it is main and runs"),
    });
    expect(log).toEqual([]);
  });

  test("may be gone", async () => {
    await removeDeadContainer(parts(undefined), "c");
    expect(log).toEqual([]);
  });
});

test("a sandbox is removed once nothing runs in it", async () => {
  await removeDeadSandbox(parts(anExit()), "s0");
  expect(log).toEqual(["stop s0", "remove s0"]);
  const running = parts(anExit({ state: "CONTAINER_RUNNING" }));
  await expect(removeDeadSandbox(running, "s1")).rejects.toThrow("sandbox s1 is not dead: container main-0 runs in it");
  expect(log).toHaveLength(2);
});
