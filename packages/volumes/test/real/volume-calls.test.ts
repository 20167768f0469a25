import { mkdirSync, rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { hangsTogether } from "@hooklet/linux";
import { systemClock } from "@hooklet/utils";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { canHang, hangOn } from "../../../core/test/pod/life/hung-volume.js";
import { VirtualClock } from "../../../sim/src/clock/virtual-clock.js";
import { volumeCallsApart } from "../../src/volume-calls.js";

let scratch = "";
beforeAll(async () => {
  scratch = await mkdtemp(path.join(tmpdir(), "hooklet-volume-calls-"));
});
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const directory = (name: string): string => {
  const made = path.join(scratch, name);
  mkdirSync(made);
  return made;
};

describe("a path of a volume is accessed by a subprocess", () => {
  test("its results and its errors come back", async () => {
    const calls = volumeCallsApart(systemClock);
    const there = directory("there");
    await expect(calls.prepareHostPath({ path: there, type: "Directory" })).resolves.toBeNull();
    await expect(calls.prepareHostPath({ path: there, type: "File" })).rejects.toThrow(
      `hostPath type check failed: ${there} is not a file`,
    );
    calls.close();
  });

  (canHang ? test : test.skip)(
    "one that hangs ends at its deadline, blocks no other, and is not called again at once",
    async () => {
      // Deadlines come when the test says so, however long a helper takes to start on a busy machine.
      const clock = new VirtualClock();
      const calls = volumeCallsApart(clock, { deadline: 1500, quiet: 1000 });
      const [hung, well] = [directory("hung"), directory("well")];
      const release = await hangOn(hung);
      try {
        let turns = 0;
        const turning = async (): Promise<void> => {
          while (turns >= 0) {
            turns += 1;
            await new Promise((resolve) => setImmediate(resolve));
          }
        };
        const turned = turning();
        // More than there are threads for files in a process.
        const bad = ["", "/a", "/b", "/c", "/d", "/e"].map((below) =>
          calls.prepareHostPath({ path: `${hung}${below}` }),
        );
        const ends = Promise.allSettled(bad);
        let isOver = false;
        void ends.then(() => {
          isOver = true;
        });
        await calls.prepareHostPath({ path: well, type: "Directory" });
        expect(isOver).toBe(false);
        expect(turns).toBeGreaterThan(1);
        while (!isOver) {
          await new Promise((resolve) => setTimeout(resolve, 20));
          await clock.advance(100);
        }
        for (const { status, reason } of (await ends) as PromiseRejectedResult[]) {
          expect([status, String(reason)]).toEqual(["rejected", expect.stringContaining("does not answer")]);
        }
        // No time passes, so no call can have waited for it.
        await expect(calls.prepareHostPath({ path: `${hung}/f` })).rejects.toThrow("it is not asked again yet");
        turns = Number.NEGATIVE_INFINITY;
        await turned;
      } finally {
        await release();
        calls.close();
      }
    },
  );
});

(canHang ? test : test.skip)(
  "several file systems that hang at once cost their own pods: others are answered meanwhile, and each time they are asked again",
  async () => {
    const clock = new VirtualClock();
    const calls = volumeCallsApart(clock, { deadline: 1500, quiet: 1000 });
    const well = directory("well-among-many");
    const hung = Array.from({ length: 7 }, (_, index) => directory(`hung-${index}`));
    const releases = await Promise.all(hung.map(hangOn));
    try {
      for (let round = 0; round < 2; round++) {
        let left = hung.length;
        const ends = Promise.allSettled(hung.map((path) => calls.prepareHostPath({ path }).finally(() => (left -= 1))));
        // No time passes meanwhile: a call that waited for one of them would wait forever.
        await calls.prepareHostPath({ path: well, type: "Directory" });
        expect(left).toBe(hung.length);
        while (left > 0) {
          await new Promise((resolve) => setTimeout(resolve, 20));
          await clock.advance(100);
        }
        for (const { status, reason } of (await ends) as PromiseRejectedResult[]) {
          expect([status, String(reason)]).toEqual(["rejected", expect.stringContaining("does not answer")]);
        }
        await new Promise((resolve) => setTimeout(resolve, 200));
        await clock.advance(2000);
      }
    } finally {
      await Promise.all(releases.map((release) => release()));
      calls.close();
    }
  },
  60_000,
);

(canHang ? test : test.skip)(
  "a pod's own volumes are asked one after the other: five that hang cost one helper",
  async () => {
    const clock = new VirtualClock();
    const calls = volumeCallsApart(clock, { deadline: 1500, quiet: 1000 });
    const rootDir = directory("own");
    const make = (uid: string, name: string): Promise<void> =>
      calls.makeVolume({
        memory: { rootDir, mounts: true },
        uid,
        steps: ["volumes", "kubernetes.io~empty-dir", name],
        medium: "disk",
        mode: 0o777,
      });
    const names = ["a", "b", "c", "d", "e"];
    for (const uid of ["bad", "good"]) mkdirSync(path.join(rootDir, "pods", uid), { recursive: true });
    for (const name of names) await make("bad", name);
    const place = (name: string): string => path.join(rootDir, "pods/bad/volumes/kubernetes.io~empty-dir", name);
    const releases = await Promise.all(names.map((name) => hangOn(place(name))));
    try {
      let left = names.length;
      const ends = Promise.allSettled(names.map((name) => make("bad", name).finally(() => (left -= 1))));
      await make("good", "a");
      expect(left).toBe(names.length);
      while (left > 0) {
        await new Promise((resolve) => setTimeout(resolve, 20));
        await clock.advance(100);
      }
      expect((await ends).map(({ status }) => status)).toEqual(names.map(() => "rejected"));
    } finally {
      await Promise.all(releases.map((release) => release()));
      calls.close();
    }
  },
);

test("paths of one mount hang together, those of the root file system each for itself", () => {
  const points = ["/", "/mnt", "/mnt/a"];
  expect(["/data/x", "/mnt/b/c", "/mnt/a", "/mnt/a/x", "/mntx"].map((one) => hangsTogether(one, points))).toEqual([
    "/data/x",
    "/mnt",
    "/mnt/a",
    "/mnt/a",
    "/mntx",
  ]);
});
