/** Pod sandboxes: what is asked of the runtime, and whose they are known to be. */
import { Labels } from "@hooklet/core";
import { VirtualClock } from "@hooklet/testkit";
import { beforeEach, expect, test } from "@jest/globals";
import { sandboxConfig } from "../../../testkit/src/runtime-suite/configs.js";
import { CallError, Code } from "../../src/call-errors.js";
import { Known } from "../../src/known.js";
import { CriSandboxes } from "../../src/sandboxes.js";

let known: Known;
let asked: [string, object][];
let answers: Record<string, unknown>;
let sandboxes: CriSandboxes;
beforeEach(() => {
  [known, asked, answers] = [new Known(), [], {}];
  const call = async (rpc: string, request: object) => {
    asked.push([rpc, request]);
    const answer = answers[rpc] ?? {};
    if (answer instanceof Error) throw answer;
    return answer;
  };
  sandboxes = new CriSandboxes({ call } as never, known, new VirtualClock());
});

const failure = (code: number, details = "text") => new CallError("rpc", code, details);
const listed = (id: string, uid: string, attempt = 0) => ({
  id,
  metadata: { name: "p", namespace: "default", uid, attempt },
  state: "SANDBOX_READY",
  createdAt: "1",
  labels: uid === "" ? {} : { [Labels.podUid]: uid },
  annotations: {},
});

test("a new sandbox is known as its pod's, and is made by the handler that it is to have", async () => {
  answers.RunPodSandbox = { podSandboxId: "s" };
  const config = { ...sandboxConfig("/x", 2, "u"), runtimeHandler: "kata" };
  expect(await sandboxes.run(config)).toBe("s");
  expect(known.get("s")).toEqual({ podUid: "u" });
  expect(asked).toEqual([["RunPodSandbox", expect.objectContaining({ runtimeHandler: "kata" })]]);
});

test("a name that the pod's own attempt has is taken", async () => {
  answers.RunPodSandbox = failure(Code.ALREADY_EXISTS, "there");
  answers.ListPodSandbox = { items: [listed("s", "u", 2)] };
  await expect(sandboxes.run(sandboxConfig("/x", 2, "u"))).rejects.toMatchObject({ code: "already-exists" });
  expect(asked.map(([rpc]) => rpc)).toEqual(["RunPodSandbox", "ListPodSandbox"]);
});

test("all are listed, or those of a pod; they are known from then on, others' are not", async () => {
  answers.ListPodSandbox = { items: [listed("a", "u"), listed("b", "")] };
  expect((await sandboxes.list("u")).map(({ id }) => id)).toEqual(["a", "b"]);
  await sandboxes.list();
  expect(asked.map(([, request]) => request)).toEqual([{ filter: { labelSelector: { [Labels.podUid]: "u" } } }, {}]);
  expect([known.get("a"), known.get("b")]).toEqual([{ podUid: "u" }, undefined]);
});

test("what is gone is stopped and removed already; its containers are not known any more", async () => {
  answers.StopPodSandbox = failure(Code.NOT_FOUND);
  answers.RemovePodSandbox = failure(Code.NOT_FOUND);
  known.set("s", { podUid: "u" });
  known.set("c", { podUid: "u", sandboxId: "s" });
  await sandboxes.stop("s");
  await sandboxes.remove("s");
  expect(asked).toEqual([
    ["StopPodSandbox", { podSandboxId: "s" }],
    ["RemovePodSandbox", { podSandboxId: "s" }],
  ]);
  expect([known.get("s"), known.get("c")]).toEqual([undefined, undefined]);
});

test("other failures are the caller's", async () => {
  for (const rpc of ["StopPodSandbox", "RemovePodSandbox", "ListPodSandbox", "PodSandboxStatus"])
    answers[rpc] = failure(Code.UNAVAILABLE);
  for (const work of [sandboxes.stop("s"), sandboxes.remove("s"), sandboxes.list(), sandboxes.status("s")])
    await expect(work).rejects.toMatchObject({ code: "unavailable" });
});

test("a status that the runtime leaves out is that of no sandbox", async () => {
  answers.PodSandboxStatus = { status: null };
  await expect(sandboxes.status("s")).rejects.toMatchObject({
    ...{ code: "not-found", message: "sandbox s has no status" },
  });
  expect(asked).toEqual([["PodSandboxStatus", { podSandboxId: "s" }]]);
});
