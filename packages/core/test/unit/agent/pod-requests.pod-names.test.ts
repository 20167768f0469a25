import { expect, test } from "@jest/globals";
import { findContainer, findPod } from "../../../src/agent/pod-requests.js";
import { aContainer, aPod } from "../../pod/pods.js";

const pod = (name: string, namespace = "default") => aPod({}, { name, namespace, uid: `${namespace}/${name}` });
const pods = [pod("web-node1"), pod("web", "team"), pod("db"), pod("db-node1")];
const uid = (name: { name: string; namespace?: string }): string => findPod(pods, name, "node1").metadata.uid;

test("a pod is found by its name, in its namespace, with or without the node's suffix", () => {
  expect(uid({ name: "web" })).toBe("default/web-node1");
  expect(uid({ name: "web-node1" })).toBe("default/web-node1");
  expect(uid({ name: "web", namespace: "team" })).toBe("team/web");
  expect(uid({ name: "db" })).toBe("default/db");
});

test("a pod that is not there is an error with the nearest names of the namespace", () => {
  expect(() => uid({ name: "wbe", namespace: "team" })).toThrow(
    expect.objectContaining({
      code: "NOT_FOUND",
      message: expect.stringMatching(/pod.*wbe.*in namespace "team".*web/s),
    }),
  );
  expect(() => findPod(pods, { name: "web" }, "node2")).toThrow('in namespace "default"');
});

test("a container of any kind is found; by default the first main one is meant", () => {
  const own = aPod(
    {
      initContainers: [aContainer("prep")],
      containers: [aContainer("main"), aContainer("side")],
      ephemeralContainers: [aContainer("debug")] as never,
    },
    { name: "web" },
  );
  expect(findContainer(own, undefined)).toBe("main");
  expect(["main", "side", "prep", "debug"].map((name) => findContainer(own, name))).toEqual([
    ...["main", "side", "prep", "debug"],
  ]);
  expect(() => findContainer(own, "mian")).toThrow(
    expect.objectContaining({
      code: "NOT_FOUND",
      message: expect.stringMatching(/container.*mian.*in pod web.*main/s),
    }),
  );
});
