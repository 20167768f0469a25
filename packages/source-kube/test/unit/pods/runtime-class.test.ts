import { expect, test } from "@jest/globals";
import { ApiError, UNREACHABLE } from "../../../src/client/api-error.js";
import type { KubeClient } from "../../../src/client/client.js";
import { runtimeHandler } from "../../../src/pods/runtime-class.js";

const { signal } = new AbortController();

test("the handler is the class's, asked for until the pod's start is given up", async () => {
  const asked: unknown[] = [];
  const get = (async (...question: unknown[]) => {
    asked.push(question);
    return { handler: "kata" };
  }) as KubeClient["get"];
  expect(await runtimeHandler({ get }, "of/mine", signal)).toBe("kata");
  expect(asked).toEqual([["/apis/node.k8s.io/v1/runtimeclasses/of%2Fmine", { signal }]]);
});

test.each([
  ["no such class", 404, 'RuntimeClass "gone" not found'],
  ["no answer", UNREACHABLE, "no route"],
])("%s: the start fails and says so", async (_name, status, says) => {
  const get = () => Promise.reject(new ApiError(status, "Reason", "no route"));
  await expect(runtimeHandler({ get }, "gone", signal)).rejects.toThrow(says);
});
