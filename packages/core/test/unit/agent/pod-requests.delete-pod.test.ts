import { expect, test } from "@jest/globals";
import { type DeletionParts, deletePod } from "../../../src/agent/pod-requests.js";
import { aPod } from "../../pod/pods.js";

interface Given {
  readonly owner?: string | undefined;
  readonly mark?: string;
  readonly place?: string;
  readonly deletionTimestamp?: string;
  readonly now?: ReturnType<typeof aPod>;
}

function deleting({ owner, mark, place, deletionTimestamp, now }: Given, grace?: number) {
  const calls: unknown[] = [];
  const annotations = mark === undefined ? {} : { "kubernetes.io/config.source": mark };
  const pod = aPod({}, { name: "web", uid: "u", annotations, ...(deletionTimestamp && { deletionTimestamp }) });
  const parts: DeletionParts = {
    placeOf: () => place,
    manager: { sourceOf: () => owner, get: () => now } as unknown as DeletionParts["manager"],
    control: {
      name: "control",
      delete: async (...words: unknown[]) => void calls.push(["delete", ...words]),
      shorten: (...words: unknown[]) => void calls.push(["shorten", ...words]),
    } as unknown as DeletionParts["control"],
  };
  return { calls, pod, done: deletePod(parts, pod, grace) };
}

test.each<[string, Given]>([
  ["a pod of the control socket", { owner: "control" }],
  ["a pod without a source any more that was applied", { mark: "api" }],
])("%s is deleted, with its grace period or the given one", async (_name, given) => {
  const plain = deleting(given);
  expect(await plain.done).toBe(plain.pod);
  expect(plain.calls).toEqual([["delete", "default", "web", undefined]]);
  const quick = deleting(given, 0);
  await quick.done;
  expect(quick.calls).toEqual([["delete", "default", "web", 0]]);
});

test("a pod that is being deleted may get less time, and is left alone otherwise", async () => {
  const given = { owner: "control", deletionTimestamp: "2026-11-21T10:00:00Z" };
  const again = deleting(given);
  await again.done;
  expect(again.calls).toEqual([]);
  const shorter = deleting(given, 5);
  await shorter.done;
  expect(shorter.calls).toEqual([["shorten", "u", 5]]);
});

test("the answer is the pod as it is now", async () => {
  const now = aPod({}, { name: "web" });
  expect(await deleting({ owner: "control", now }).done).toBe(now);
});

test.each<[string, Given, readonly string[]]>([
  ["of a file", { owner: "manifests", mark: "file", place: "/m/web.yaml" }, ["/m/web.yaml"]],
  ["of an API server", { owner: "cluster", mark: "api" }, ["cluster"]],
  ["of a plugin", { owner: "own-source" }, ["own-source"]],
  ["of a file, when its source is gone", { mark: "file" }, ["file"]],
])("a pod %s is deleted there, not here", async (_name, given, says) => {
  const { calls, done } = deleting(given);
  const error = await done.catch((one: unknown) => one);
  expect(error).toMatchObject({ code: "DELETION_REFUSED" });
  for (const word of ["default/web", ...says]) expect((error as Error).message).toContain(word);
  expect(calls).toEqual([]);
});

test.each([-1, 0.5])("a grace period of %d s is refused", async (grace) => {
  const { calls, done } = deleting({ owner: "control" }, grace);
  await expect(done).rejects.toThrow(`gracePeriodSeconds: expected whole seconds, 0 or more, found ${grace}.`);
  expect(calls).toEqual([]);
});
