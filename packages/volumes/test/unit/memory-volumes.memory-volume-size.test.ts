import { describe, expect, test } from "@jest/globals";
import { aContainer, aPod } from "../../../core/test/pod/pods.js";
import { memoryVolumeSize } from "../../src/memory-volumes.js";

const MiB = 1024 * 1024;
const inMemory = (sizeLimit?: string) => ({
  name: "fast",
  emptyDir: { medium: "Memory", ...(sizeLimit && { sizeLimit }) },
});

describe("the size of a volume in memory", () => {
  const limited = (memory: string) => aContainer("main", { resources: { limits: { memory } } });
  test.each([
    ["its own limit, where that is least", inMemory("8Mi"), [limited("1Gi")], 16 * 1024 * MiB, 8 * MiB],
    ["the pod's, where that is least", inMemory("2Gi"), [limited("1Gi")], 16 * 1024 * MiB, 1024 * MiB],
    ["the node's, where nothing else bounds it", inMemory(), [aContainer("main")], 512 * MiB, 512 * MiB],
    [
      "the node's, where one container has no limit",
      inMemory(),
      [limited("64Mi"), aContainer("b")],
      512 * MiB,
      512 * MiB,
    ],
    ["the node's, for a limit of 0", inMemory("0"), [aContainer("main")], 512 * MiB, 512 * MiB],
    ["the node's, for a volume of another kind", { name: "other" }, [aContainer("main")], 512 * MiB, 512 * MiB],
    ["open, where nothing is known", inMemory(), [aContainer("main")], undefined, undefined],
  ])("is %s", (_name, volume, containers, allocatable, size) => {
    expect(memoryVolumeSize(aPod({ containers }), volume, allocatable)).toBe(size);
  });
});
