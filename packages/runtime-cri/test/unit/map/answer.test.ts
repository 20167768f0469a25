/** What the CRI answers, as the port has it. */
import { describe, expect, test } from "@jest/globals";
import {
  toContainer,
  toContainerStatus,
  toFileSystem,
  toImage,
  toSandbox,
  toSandboxStatus,
  toStats,
} from "../../../src/map/answer.js";
import type { WireContainer, WireContainerStatus, WireImage, WireSandboxStatus } from "../../../src/wire.js";

describe("a sandbox", () => {
  const wire: WireSandboxStatus = {
    id: "s",
    metadata: { name: "web", namespace: "shop", uid: "u", attempt: 2 },
    state: "SANDBOX_READY",
    createdAt: "1700000000000000001",
    labels: { a: "1" },
    annotations: { b: "2" },
    network: null,
  };

  test("is the runtime's answer, times to the nanosecond", () => {
    expect(toSandbox(wire)).toEqual({
      id: "s",
      metadata: { name: "web", namespace: "shop", uid: "u", attempt: 2 },
      state: "SANDBOX_READY",
      createdAt: 1700000000000000001n,
      labels: { a: "1" },
      annotations: { b: "2" },
    });
  });

  test("of another program, without metadata, has no pod", () => {
    expect(toSandbox({ ...wire, metadata: null }).metadata).toEqual({ name: "", namespace: "", uid: "", attempt: 0 });
  });

  test.each([
    ["SANDBOX_READY", "SANDBOX_READY"],
    ["SANDBOX_NOTREADY", "SANDBOX_NOTREADY"],
    [2, "SANDBOX_NOTREADY"],
  ])("in state %s is %s: what only a newer runtime knows is not ready", (state, expected) => {
    expect(toSandbox({ ...wire, state } as never).state).toBe(expected);
  });

  test.each([
    { name: "none on the host network", network: null, ips: [] },
    { name: "none before it has one", network: { ip: "", additionalIps: [] }, ips: [] },
    {
      name: "both families, the first one first",
      network: { ip: "10.1.0.2", additionalIps: [{ ip: "fd00::2" }, { ip: "" }] },
      ips: ["10.1.0.2", "fd00::2"],
    },
  ])("has its addresses: $name", ({ network, ips }) => {
    expect(toSandboxStatus({ ...wire, network })).toEqual({ ...toSandbox(wire), ips });
  });
});

const container: WireContainer = {
  id: "c",
  podSandboxId: "s",
  metadata: { name: "web", attempt: 3 },
  image: { image: "web:1", runtimeHandler: "" },
  imageRef: "web@sha256:d",
  imageId: "",
  state: "CONTAINER_RUNNING",
  createdAt: "5",
  labels: { a: "1" },
  annotations: { b: "2" },
};

describe("a container", () => {
  test("is the runtime's answer", () => {
    expect(toContainer(container)).toEqual({
      id: "c",
      sandboxId: "s",
      metadata: { name: "web", attempt: 3 },
      state: "CONTAINER_RUNNING",
      createdAt: 5n,
      image: "web:1",
      imageRef: "web@sha256:d",
      labels: { a: "1" },
      annotations: { b: "2" },
    });
  });

  test("with missing fields has empty names", () => {
    expect(toContainer({ ...container, metadata: null, image: null })).toMatchObject({
      metadata: { name: "", attempt: 0 },
      image: "",
    });
  });

  test.each([
    ["CONTAINER_CREATED", "CONTAINER_CREATED"],
    ["CONTAINER_RUNNING", "CONTAINER_RUNNING"],
    ["CONTAINER_EXITED", "CONTAINER_EXITED"],
    ["CONTAINER_UNKNOWN", "CONTAINER_UNKNOWN"],
    [7, "CONTAINER_UNKNOWN"],
  ])("in state %s is %s", (state, expected) => {
    expect(toContainer({ ...container, state } as never).state).toBe(expected);
  });
});

describe("a container's status", () => {
  const mount = {
    containerPath: "/d",
    hostPath: "/srv",
    readonly: true,
    recursiveReadOnly: false,
    selinuxRelabel: false,
    image: null,
  };
  const wire: WireContainerStatus = {
    ...container,
    startedAt: "10",
    finishedAt: "20",
    exitCode: 3,
    reason: "Error",
    message: "gone",
    mounts: [],
    logPath: "/var/log/x.log",
    user: null,
  };

  test("has its exit, and the path of its log", () => {
    expect(toContainerStatus(wire, "sandbox")).toEqual({
      ...toContainer({ ...container, podSandboxId: "sandbox" }),
      startedAt: 10n,
      finishedAt: 20n,
      exitCode: 3,
      reason: "Error",
      message: "gone",
      mounts: [],
      logPath: "/var/log/x.log",
    });
  });

  test.each([
    { name: "runs", times: ["10", "0"], expected: [10n, 0n] },
    { name: "ended at once, by containerd's clock before it started", times: ["10", "9"], expected: [9n, 9n] },
    { name: "ended in the nanosecond of its start", times: ["10", "10"], expected: [10n, 10n] },
    { name: "never started", times: ["0", "9"], expected: [0n, 9n] },
  ])("of one that $name does not end before it starts", ({ times: [startedAt = "", finishedAt = ""], expected }) => {
    const found = toContainerStatus({ ...wire, startedAt, finishedAt }, "s");
    expect([found.startedAt, found.finishedAt]).toEqual(expected);
  });

  test.each([
    ["PROPAGATION_PRIVATE", "PRIVATE"],
    ["PROPAGATION_HOST_TO_CONTAINER", "HOST_TO_CONTAINER"],
    ["PROPAGATION_BIDIRECTIONAL", "BIDIRECTIONAL"],
    ["3", "PRIVATE"],
  ])("has its mounts, %s as %s", (propagation, expected) => {
    const { image: _, recursiveReadOnly: __, ...plain } = mount;
    expect(toContainerStatus({ ...wire, mounts: [{ ...mount, propagation }] }, "s").mounts).toEqual([
      { ...plain, propagation: expected },
    ]);
  });

  test("has its recursively read-only mounts", () => {
    const mounts = [{ ...mount, recursiveReadOnly: true, propagation: "PROPAGATION_PRIVATE" }];
    expect(toContainerStatus({ ...wire, mounts }, "s").mounts).toMatchObject([{ recursiveReadOnly: true }]);
  });

  test("has the user it runs as where the runtime reports it, in numbers", () => {
    const linux = { uid: "7", gid: "8", supplementalGroups: ["8", "9"] };
    expect(toContainerStatus({ ...wire, user: { linux } }, "s").user).toEqual({
      uid: 7,
      gid: 8,
      supplementalGroups: [8, 9],
    });
    expect(toContainerStatus({ ...wire, user: { linux: null } }, "s")).not.toHaveProperty("user");
  });
});

describe("an image", () => {
  const wire: WireImage = {
    id: "sha256:a",
    repoTags: ["web:1"],
    repoDigests: ["web@sha256:d"],
    size: "123",
    uid: null,
    username: "",
    spec: null,
    pinned: true,
  };

  test("is the runtime's answer, without a user where it has none", () => {
    expect(toImage(wire)).toEqual({
      id: "sha256:a",
      repoTags: ["web:1"],
      repoDigests: ["web@sha256:d"],
      size: 123,
      pinned: true,
    });
  });

  test("names its user by number, root too, or by name", () => {
    expect(toImage({ ...wire, uid: { value: "0" } })).toMatchObject({ uid: 0 });
    expect(toImage({ ...wire, username: "db" })).toMatchObject({ username: "db" });
  });

  test("names the handler that it was pulled for, where there is one", () => {
    const spec = { image: "", runtimeHandler: "kata" };
    expect(toImage({ ...wire, spec })).toMatchObject({ runtimeHandler: "kata" });
    expect(toImage({ ...wire, spec: { ...spec, runtimeHandler: "" } })).not.toHaveProperty("runtimeHandler");
  });
});

describe("what is used", () => {
  test("of a file system is reported where the runtime names it", () => {
    const wire = { fsId: { mountpoint: "/var/lib" }, usedBytes: { value: "10" }, inodesUsed: { value: "3" } };
    expect(toFileSystem(wire)).toEqual({ mountpoint: "/var/lib", usedBytes: 10, inodesUsed: 3 });
    expect(toFileSystem({ ...wire, usedBytes: null, inodesUsed: null })).toEqual({
      mountpoint: "/var/lib",
      usedBytes: 0,
      inodesUsed: 0,
    });
    for (const nowhere of [undefined, { ...wire, fsId: null }, { ...wire, fsId: { mountpoint: "" } }]) {
      expect(toFileSystem(nowhere)).toBeUndefined();
    }
  });

  test("by a container is what the runtime reports, 0 included; a missing value is not 0", () => {
    const layer = { fsId: null, usedBytes: { value: "0" }, inodesUsed: { value: "5" } };
    expect(
      toStats({
        attributes: { id: "c", labels: { a: "1" } },
        cpu: { usageCoreNanoSeconds: { value: "7" } },
        memory: { workingSetBytes: { value: "8" } },
        writableLayer: layer,
      }),
    ).toEqual({
      id: "c",
      labels: { a: "1" },
      cpuUsageNanoSeconds: 7,
      memoryWorkingSetBytes: 8,
      writableLayerUsedBytes: 0,
      writableLayerInodesUsed: 5,
    });
    expect(toStats({ attributes: null, cpu: null, memory: { workingSetBytes: null }, writableLayer: null })).toEqual({
      id: "",
      labels: {},
    });
  });
});
