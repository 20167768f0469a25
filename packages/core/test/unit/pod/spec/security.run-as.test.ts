import type { Pod } from "@hooklet/manifest";
import { describe, expect, test } from "@jest/globals";
import { verifyRunAsNonRoot } from "../../../../src/pod/spec/security.js";
import { aContainer, aPod } from "../../../pod/pods.js";

type Context = NonNullable<Pod["spec"]["securityContext"]>;
const WHERE = '(pod: "web-node1_default(0123456789abcdef0123456789abcdef)", container: main)';

const verdict = (image: { uid?: number; username?: string }, own?: Context, ofPod?: Context): string => {
  const container = aContainer("main", own === undefined ? {} : { securityContext: own });
  const pod = aPod(ofPod === undefined ? {} : { securityContext: ofPod });
  try {
    verifyRunAsNonRoot(pod, container, {
      id: "i",
      size: 1,
      repoTags: [],
      repoDigests: [],
      pinned: false,
      ...image,
    } as never);
    return "runs";
  } catch (error) {
    return (error as Error).message;
  }
};

describe("runAsNonRoot", () => {
  const nonRoot: Context = { runAsNonRoot: true };

  test("without runAsNonRoot any image runs", () => {
    expect(verdict({ uid: 0 })).toBe("runs");
    expect(verdict({ uid: 0 }, { runAsNonRoot: false }, nonRoot)).toBe("runs");
  });

  test("of the pod counts where the container sets none", () => {
    expect(verdict({ uid: 0 }, undefined, nonRoot)).toBe(
      `container has runAsNonRoot and image will run as root ${WHERE}`,
    );
    expect(verdict({ uid: 0 }, nonRoot)).toContain("image will run as root");
  });

  test("an image without any user runs as root", () => {
    expect(verdict({}, nonRoot)).toContain("image will run as root");
    expect(verdict({ username: "" }, nonRoot)).toContain("image will run as root");
  });

  test("an image with a number other than 0 is fine, one with a name cannot be decided", () => {
    expect(verdict({ uid: 1000 }, nonRoot)).toBe("runs");
    expect(verdict({ uid: 1000, username: "web" }, nonRoot)).toBe("runs");
    expect(verdict({ username: "web" }, nonRoot)).toBe(
      `container has runAsNonRoot and image has non-numeric user (web), cannot verify user is non-root ${WHERE}`,
    );
  });

  test("runAsUser is checked in place of the image, the container's before the pod's", () => {
    expect(verdict({ uid: 0 }, { runAsNonRoot: true, runAsUser: 7 })).toBe("runs");
    expect(verdict({ uid: 0 }, nonRoot, { runAsUser: 7 })).toBe("runs");
    const breaks = `container's runAsUser breaks non-root policy ${WHERE}`;
    expect(verdict({ uid: 7 }, { runAsNonRoot: true, runAsUser: 0 }, { runAsUser: 7 })).toBe(breaks);
    expect(verdict({ uid: 7 }, nonRoot, { runAsUser: 0 })).toBe(breaks);
  });
});
