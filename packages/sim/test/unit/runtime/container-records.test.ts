import { expect, test } from "@jest/globals";
import {
  type ContainerRecord,
  containerStatusOf,
  type SandboxRecord,
  sandboxStatusOf,
} from "../../../src/runtime/container-records.js";

const sandbox = (network = "POD", ready = true): SandboxRecord =>
  ({
    id: "s1",
    ip: "10.0.0.1",
    ready,
    createdAt: 1n,
    config: {
      metadata: { name: "web", namespace: "default", uid: "u", attempt: 0 },
      labels: { a: "b" },
      annotations: { c: "d" },
      logDirectory: "/logs",
      linux: { securityContext: { namespaces: { network } } },
    },
  }) as never;
const record = (more: Partial<ContainerRecord> = {}, user: object = {}): ContainerRecord =>
  ({
    id: "c1",
    sandbox: sandbox(),
    createdAt: 2n,
    startedAt: 3n,
    finishedAt: 4n,
    config: {
      metadata: { name: "main", attempt: 1 },
      image: { image: "sha256:1", userSpecifiedImage: "app:1" },
      labels: { e: "f" },
      annotations: { g: "h" },
      mounts: [],
      logPath: "main/1.log",
      linux: { securityContext: { supplementalGroups: [7], ...user } },
    },
    ...more,
  }) as never;

test("a sandbox has an address of its own, but on the host's network", () => {
  expect(sandboxStatusOf(sandbox())).toEqual({
    id: "s1",
    metadata: { name: "web", namespace: "default", uid: "u", attempt: 0 },
    state: "SANDBOX_READY",
    createdAt: 1n,
    labels: { a: "b" },
    annotations: { c: "d" },
    ips: ["10.0.0.1"],
  });
  expect(sandboxStatusOf(sandbox("NODE", false))).toMatchObject({ ips: [], state: "SANDBOX_NOTREADY" });
});

test("a container that was made has everything but an end", () => {
  expect(containerStatusOf(record())).toEqual({
    id: "c1",
    sandboxId: "s1",
    metadata: { name: "main", attempt: 1 },
    state: "CONTAINER_CREATED",
    createdAt: 2n,
    startedAt: 3n,
    finishedAt: 4n,
    image: "app:1",
    imageRef: "sha256:1",
    labels: { e: "f" },
    annotations: { g: "h" },
    exitCode: 0,
    reason: "",
    message: "",
    mounts: [],
    logPath: "/logs/main/1.log",
    user: { uid: 0, gid: 0, supplementalGroups: [7] },
  });
});

test.each<[object, object]>([
  [{ process: {} }, { state: "CONTAINER_RUNNING", reason: "" }],
  [{ exit: { code: 0 } }, { state: "CONTAINER_EXITED", exitCode: 0, reason: "Completed", message: "" }],
  [{ exit: { code: 7 } }, { state: "CONTAINER_EXITED", exitCode: 7, reason: "Error", message: "" }],
  [
    { exit: { code: 137, reason: "OOMKilled", message: "no memory" } },
    { exitCode: 137, reason: "OOMKilled", message: "no memory" },
  ],
])("one with %j has the status %j", (more, status) => {
  expect(containerStatusOf(record(more))).toMatchObject(status);
});

test.each([
  [{ runAsUser: 5 }, { uid: 5, gid: 5 }],
  [
    { runAsUser: 5, runAsGroup: 6 },
    { uid: 5, gid: 6 },
  ],
  [{ runAsGroup: 6 }, { uid: 0, gid: 6 }],
])("as the user %j it runs as %j", (user, expected) => {
  expect(containerStatusOf(record({}, user)).user).toMatchObject(expected);
});
