import { expect, test } from "@jest/globals";
import { aContainer, aPod } from "../../src/builders.js";

test("a pod without any part is a defaulted pod with one container", () => {
  expect(aPod()).toMatchObject({
    metadata: { name: "web", namespace: "default", uid: expect.stringMatching(/^[0-9a-f]{32}$/) },
    spec: {
      restartPolicy: "Always",
      terminationGracePeriodSeconds: 30,
      containers: [{ name: "main", image: "app:1" }],
    },
  });
});

test("pods of one name have one uid, of two names two", () => {
  expect(aPod({ name: "a" }).metadata.uid).toBe(aPod({ name: "a" }).metadata.uid);
  expect(aPod({ name: "a" }).metadata.uid).not.toBe(aPod({ name: "b" }).metadata.uid);
  expect(aPod({ namespace: "x" }).metadata.uid).not.toBe(aPod({ namespace: "y" }).metadata.uid);
});

test("a limit is also the request unless one is given", () => {
  expect(aContainer({ limits: { cpu: "1", memory: "1Gi" }, requests: { cpu: "500m" } }).resources).toEqual({
    limits: { cpu: "1", memory: "1Gi" },
    requests: { cpu: "500m", memory: "1Gi" },
  });
  expect(aContainer({ requests: { cpu: "1" } }).resources).toEqual({ requests: { cpu: "1" } });
  expect(aContainer().resources).toEqual({});
});
