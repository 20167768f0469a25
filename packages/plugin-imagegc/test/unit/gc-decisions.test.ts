import { describe, expect, test } from "@jest/globals";
import {
  cleaningDecision,
  explainImage,
  isCalled,
  overlap,
  planDecision,
  removalDecisions,
} from "../../src/gc-decisions.js";
import type { RoundReport } from "../../src/image-collector.js";
import { MIB, MINUTE, policy, record, roundOf, type Scene } from "./images/images.js";

function report(scene: Scene): RoundReport {
  const now = 60 * MINUTE;
  const image = record("kept", { names: ["docker.io/library/pause:3.6"] });
  const kept = [{ image, verdict: "in use" as const, users: ["the sandboxes of pods"] }];
  return { ...roundOf(scene), kept, now, policy: policy(scene.policy) };
}

const scene: Scene = {
  records: [
    record("sha256:aaaaaaaaaaaa", { names: ["docker.io/library/old:1"], size: 60 * MIB, lastUsed: 10 * MINUTE }),
    record("sha256:bbbbbbbbbbbb", { names: ["docker.io/library/mid:1"], size: 60 * MIB, lastUsed: 20 * MINUTE }),
    record("sha256:cccccccccccc", { names: ["docker.io/library/new:1"], size: 60 * MIB, lastUsed: 30 * MINUTE }),
  ],
};

test("each removed image is a decision with the reason", () => {
  expect(removalDecisions(report(scene), "lru")).toEqual([
    {
      strategy: "lru",
      subject: "image/docker.io/library/old:1",
      considered: [
        { candidate: "image/docker.io/library/old:1", verdict: "removed", why: "unused for 50m0s, 60.0 MiB" },
      ],
      outcome: "removed for space: 90% of the image filesystem used, 100.0 MiB to free",
    },
    expect.objectContaining({ subject: "image/docker.io/library/mid:1" }),
  ]);
});

test("an image that could not be removed has the runtime's message", () => {
  const [decision] = removalDecisions(report({ ...scene, fails: ["sha256:aaaaaaaaaaaa"] }), "lru");
  expect(decision?.outcome).toMatch(/^could not be removed for space/);
  expect(decision?.considered[0]?.why).toBe("cannot remove sha256:aaaaaaaaaaaa");
});

test("a plan lists first what goes, in order, then what stays", () => {
  const reported = planDecision(report(scene), "lru");
  expect(reported.considered.map(({ candidate, verdict, why }) => `${candidate} | ${verdict} | ${why}`)).toEqual([
    "image/docker.io/library/old:1 | would be removed | unused for 50m0s, 60.0 MiB",
    "image/docker.io/library/mid:1 | would be removed | unused for 40m0s, 60.0 MiB",
    "image/docker.io/library/new:1 | enough freed | enough is freed without it",
    "image/docker.io/library/pause:3.6 | in use | by the sandboxes of pods",
  ]);
  expect(reported.outcome).toBe(
    "90% of the image filesystem used, 100.0 MiB to free: would remove 2 images, 120.0 MiB by their sizes, to about 78%",
  );
});

test("a plan of a node full of images is cut, with the number of left out images", () => {
  const records = Array.from({ length: 400 }, (_, index) => record(`sha256:${String(index).padStart(12, "0")}`));
  const { considered } = planDecision(report({ records }), "lru");
  expect(considered).toHaveLength(251);
  expect(considered.at(-1)).toEqual({ candidate: "151 more images", verdict: "not shown", why: "more than 250" });
});

describe("explain", () => {
  test.each([
    {
      name: "old:1",
      outcome: "the next round removes it for space: 90% of the image filesystem used, 100.0 MiB to free",
    },
    {
      name: "bbbbbb",
      outcome: "the next round removes it for space: 90% of the image filesystem used, 100.0 MiB to free",
    },
    { name: "docker.io/library/new:1", outcome: "stays: enough is freed without it" },
    { name: "pause:3.6", outcome: "stays: by the sandboxes of pods" },
  ])("$name: $outcome", ({ name, outcome }) => {
    expect(explainImage(report(scene), "lru", name)?.outcome).toBe(outcome);
  });

  test("lists the image first, then the others in the order in which they go", () => {
    const { considered = [] } = explainImage(report(scene), "lru", "docker.io/library/new:1") ?? {};
    const { considered: planned } = planDecision(report(scene), "lru");
    expect(considered[0]?.candidate).toContain("new:1");
    expect(considered.slice(1)).toEqual(planned.filter(({ candidate }) => candidate !== considered[0]?.candidate));
    expect(considered.length).toBeGreaterThan(2);
  });

  test("an image that is not there has nothing to explain", () => {
    expect(explainImage(report(scene), "lru", "other:1")).toBeUndefined();
  });

  test("a few letters are no id", () => {
    expect(isCalled({ id: "sha256:aaaaaaaaaaaa", names: [] }, "aaaaa")).toBe(false);
    expect(isCalled({ id: "sha256:aaaaaaaaaaaa", names: [] }, "sha256:aaaaaaaaaaaa")).toBe(true);
  });

  test("a name without tag is that of the newest", () => {
    expect(isCalled({ id: "x", names: ["docker.io/library/web:latest"] }, "web")).toBe(true);
    expect(isCalled({ id: "x", names: ["docker.io/library/web:1"] }, "web")).toBe(false);
  });
});

describe("sizes against the disk", () => {
  const images = [{ size: 60 * MIB }, { size: 40 * MIB }];
  test.each([
    { name: "shared layers", used: 70 * MIB, text: /images share layers, and a removal frees less/ },
    { name: "packed and unpacked", used: 200 * MIB, text: /a removal may free more/ },
  ])("$name", ({ used, text }) => expect(overlap(images, used)).toMatch(text));

  test.each([
    { name: "sizes that are right", used: 100 * MIB },
    { name: "sizes that are nearly right", used: 95 * MIB },
    { name: "a runtime that does not tell", used: undefined },
    { name: "a runtime that has not counted yet", used: 0 },
  ])("$name: no decision", ({ used }) => expect(overlap(images, used)).toBeUndefined());
});

describe("what a round of container garbage collection would do", () => {
  const removed = (id: string) => ({ id, why: "its pod is gone" });
  const none = { containers: [], sandboxes: [] };

  test("is one decision: containers, sandboxes, directories that go, and those that stay with their reason", () => {
    const reported = cleaningDecision(
      {
        containers: [removed("c1"), removed("c2")],
        sandboxes: [{ id: "s1", why: "its pod has a newer sandbox" }],
      } as never,
      { going: ["u1"], staying: [{ uid: "u2", why: "it is mounted" }] } as never,
    );
    expect(reported).toEqual({
      strategy: "kubelet",
      subject: "containers",
      outcome: "would remove 2 dead containers, 1 sandboxes, 1 directories of pods",
      considered: [
        { candidate: "container/c1", verdict: "would be removed", why: "its pod is gone" },
        { candidate: "container/c2", verdict: "would be removed", why: "its pod is gone" },
        { candidate: "sandbox/s1", verdict: "would be removed", why: "its pod has a newer sandbox" },
        { candidate: "pod directory/u1", verdict: "would be removed", why: "its pod is gone" },
        { candidate: "pod directory/u2", verdict: "stays", why: "it is mounted" },
      ],
    });
  });

  test("is cut after 250 rows, with the number of left out rows", () => {
    const going = Array.from({ length: 251 }, (_, index) => `u${index}`);
    const { considered } = cleaningDecision(none, { going, staying: [] } as never);
    expect([considered.length, considered.at(-1)]).toEqual([
      251,
      { candidate: "1 more rows", verdict: "not shown", why: "more than 250" },
    ]);
    expect(cleaningDecision(none, { going: going.slice(1), staying: [] } as never).considered).toHaveLength(250);
  });
});

test("an image that is removed for its age has that reason, even when space is needed too", () => {
  const old = report({ ...scene, policy: { maxAge: 45 * MINUTE } });
  expect(removalDecisions(old, "lru")[0]?.outcome).toBe("removed for its age");
});

test.each([
  [1024 ** 3, "removed because eviction asked for space with 1.0 GiB free: all unused images go, in whatever order"],
  [undefined, "removed because eviction asked for space: all unused images go, in whatever order"],
])("an image that goes because a plugin asked for space has that plugin, and what was free: %p", (free, outcome) => {
  const asked = { by: "eviction", availableBytes: free };
  expect(removalDecisions(report(scene), "lru", asked)[0]?.outcome).toBe(outcome);
});

test("a plan of a round that fails has that, with or without numbers of the disk", () => {
  const failed = { ...report(scene), failure: { message: "the disk is away" } };
  expect(planDecision(failed, "lru").outcome).toMatch(/, to about 78%; fails: the disk is away$/);
  const { usage: _, ...blind } = failed;
  expect(planDecision(blind as RoundReport, "lru").outcome).toBe(
    "would remove 2 images, 120.0 MiB by their sizes; fails: the disk is away",
  );
});

test("sizes that differ from the disk by a tenth are near enough", () => {
  const one = [{ size: 100 }];
  expect([90, 110].map((used) => overlap(one, used))).toEqual([undefined, undefined]);
  expect(overlap(one, 89)).toBe(
    "the sizes of all images add up to 100 B, on disk they take 89 B: images share layers, and a removal frees less than the image's size",
  );
  expect(overlap(one, 111)).toBe(
    "the sizes of all images add up to 100 B, on disk they take 111 B: a removal may free more than the image's size",
  );
  expect(overlap([], 5)).toBeUndefined();
});

test("an image is found by the end of its name, and by the first letters of its id with or without its algorithm", () => {
  const image = { id: "sha256:abcdef123456", names: ["registry.example/team/web:1"] };
  expect(
    ["web:1", "team/web:1", "sha256:abcdef", "abcdef", "eb:1", "bcdef1", "sha25"].map((name) => isCalled(image, name)),
  ).toEqual([true, true, true, true, false, false, false]);
});
