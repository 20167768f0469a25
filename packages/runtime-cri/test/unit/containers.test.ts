import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { Labels } from "@hooklet/core";
import { VirtualClock } from "@hooklet/testkit";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { CallError, Code } from "../../src/call-errors.js";
import { CriContainers } from "../../src/containers.js";
import { Known } from "../../src/known.js";

let folder: string;
let known: Known;
let asked: unknown[];
/** Rpc -> answer, or the error that it rejects with. */
let answers: Record<string, unknown>;
let containers: CriContainers;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "hooklet-cri-"));
  known = new Known();
  asked = [];
  answers = {};
  const calls = {
    call: async (rpc: string, request: object) => {
      asked.push([rpc, request]);
      const answer = answers[rpc] ?? {};
      if (answer instanceof Error) throw answer;
      return answer;
    },
  };
  containers = new CriContainers(calls as never, known, new VirtualClock());
});
afterEach(() => rm(folder, { recursive: true }));

const failure = (code: number, details = "text") => new CallError("rpc", code, details);
const linux = {
  resources: {},
  securityContext: { capabilities: { add: [], drop: [] }, namespaces: {}, supplementalGroups: [] },
};
const config = {
  metadata: { name: "main", attempt: 0 },
  image: { image: "sha256:1", userSpecifiedImage: "a:1" },
  envs: [],
  mounts: [],
  devices: [],
  cdiDevices: [],
  logPath: "deep/main/0.log",
  linux,
};
const sandbox = () => ({
  metadata: { name: "p", namespace: "default", uid: "u", attempt: 0 },
  logDirectory: path.join(folder, "a/b"),
  portMappings: [],
  linux: { securityContext: linux.securityContext, sysctls: {} },
});
const create = () => containers.create("s", config as never, sandbox() as never);

test("a new container has a folder for its log, and its pod and sandbox are known", async () => {
  answers.CreateContainer = { containerId: "c" };
  expect(await create()).toBe("c");
  expect(existsSync(path.join(folder, "a/b/deep/main"))).toBe(true);
  expect(known.get("c")).toEqual({ podUid: "u", sandboxId: "s" });
  expect(asked[0]).toMatchObject(["CreateContainer", { podSandboxId: "s", config: { metadata: { name: "main" } } }]);
});

test.each([
  { details: 'image "a:1" not found', error: { code: "image-not-present", message: 'image "a:1" not found' } },
  { details: "sandbox s not found", error: { code: "not-found", message: "sandbox s not found" } },
])("NotFound of a create is the image's or the sandbox's: $details", async ({ details, error }) => {
  answers.CreateContainer = failure(Code.NOT_FOUND, details);
  await expect(create()).rejects.toMatchObject(error);
});

test.each([
  [Code.UNKNOWN, "start-error"],
  [Code.NOT_FOUND, "not-found"],
])("a start that fails with code %s is %s", async (code, expected) => {
  answers.StartContainer = failure(code);
  await expect(containers.start("c")).rejects.toMatchObject({ code: expected, message: "text" });
  expect(asked).toEqual([["StartContainer", { containerId: "c" }]]);
});

test("a stop passes the grace period in seconds, and is done where the container is gone", async () => {
  await containers.stop("c", 7);
  answers.StopContainer = failure(Code.NOT_FOUND);
  await containers.stop("c", 0);
  expect(asked).toEqual([
    ["StopContainer", { containerId: "c", timeout: 7 }],
    ["StopContainer", { containerId: "c", timeout: 0 }],
  ]);
  answers.StopContainer = failure(Code.INTERNAL);
  await expect(containers.stop("c", 0)).rejects.toThrow("text");
});

test("a removed container is forgotten, also one that was gone; a failed removal forgets nothing", async () => {
  known.set("a", { podUid: "u" });
  known.set("b", { podUid: "u" });
  await containers.remove("a");
  answers.RemoveContainer = failure(Code.INTERNAL);
  await expect(containers.remove("b")).rejects.toThrow("text");
  expect([known.get("a"), known.get("b")]).toEqual([undefined, { podUid: "u" }]);
  answers.RemoveContainer = failure(Code.NOT_FOUND);
  await containers.remove("b");
  expect(known.get("b")).toBeUndefined();
});

const wire = (id: string, labels: object) => ({
  id,
  podSandboxId: `sandbox-of-${id}`,
  metadata: { name: "main", attempt: 0 },
  image: { image: "a:1" },
  state: "CONTAINER_RUNNING",
  createdAt: "1",
  labels,
  annotations: {},
});

test.each([
  [{}, {}],
  [{ id: "c" }, { id: "c" }],
  [{ sandboxId: "s" }, { podSandboxId: "s" }],
  [{ podUid: "u" }, { labelSelector: { [Labels.podUid]: "u" } }],
])("a list with %j asks with %j, and learns whose containers are", async (filter, wanted) => {
  answers.ListContainers = { containers: [wire("c", { [Labels.podUid]: "u" }), wire("foreign", {})] };
  expect((await containers.list(filter)).map(({ id }) => id)).toEqual(["c", "foreign"]);
  expect(asked).toEqual([["ListContainers", { filter: wanted }]]);
  expect([known.get("c"), known.get("foreign")]).toEqual([{ podUid: "u", sandboxId: "sandbox-of-c" }, undefined]);
});

test("a container without a status is not found; every failure has the port's code", async () => {
  answers.ContainerStatus = { status: null };
  await expect(containers.status("c")).rejects.toMatchObject({
    code: "not-found",
    message: "container c has no status",
  });
  for (const rpc of ["ContainerStatus", "UpdateContainerResources", "ExecSync", "ReopenContainerLog", "ListContainers"])
    answers[rpc] = failure(Code.NOT_FOUND);
  for (const call of [
    () => containers.status("c"),
    () => containers.update("c", {}),
    () => containers.execSync("c", ["true"], 1),
    () => containers.reopenLog("c"),
    () => containers.list(),
  ])
    await expect(call()).rejects.toMatchObject({ code: "not-found" });
});

test("a command and a log's reopening name the container", async () => {
  answers.ExecSync = { stdout: Buffer.from("x"), stderr: Buffer.from(""), exitCode: 0 };
  expect(await containers.execSync("c", ["ls", "-l"], 3)).toBe(answers.ExecSync);
  await containers.reopenLog("c");
  expect(asked).toEqual([
    ["ExecSync", { containerId: "c", cmd: ["ls", "-l"], timeout: 3 }],
    ["ReopenContainerLog", { containerId: "c" }],
  ]);
});
