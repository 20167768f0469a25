import { expect, test } from "@jest/globals";
import { PodVolumes } from "../../../../src/pod/life/volumes.js";
import { aContainer, aPod } from "../../../pod/pods.js";

test("a mount path that is not absolute, which the API lets through, is one from the container's root", async () => {
  const volumes = new PodVolumes("/nonexistent", { memoryDir: "/nonexistent" });
  const pod = aPod({ volumes: [{ name: "v", hostPath: { path: "/srv" } }] });
  const volumeMounts = ["data", "/data", "../../etc"].map((mountPath) => ({ name: "v", mountPath }));
  const mounts = await volumes.mounts(pod, aContainer("main", { volumeMounts }), new Map());
  expect(mounts.map(({ containerPath }) => containerPath)).toEqual(["/data", "/data", "/../../etc"]);
});
