/** `hooklet get images`. */
import { expect, test } from "@jest/globals";
import type { ImageCollector, RoundReport } from "../../src/image-collector.js";
import type { ImageRecord } from "../../src/images/image-records.js";
import type { SteadyTime } from "../../src/saved-usage.js";
import { imagesView } from "../../src/view.js";

const NOW = Date.parse("2026-01-02T03:04:05Z");
const time = (seconds: number) => new Date(NOW - seconds * 1_000).toISOString();

const image = (id: string, size: number, more: Partial<ImageRecord> = {}): ImageRecord => ({
  key: id,
  id,
  names: [`docker.io/library/${id}:1`],
  size,
  pinned: false,
  firstDetected: NOW - 100_000,
  lastUsed: undefined,
  ...more,
});

function viewOf(report: Partial<RoundReport>) {
  const whole = {
    outcomes: [],
    kept: [],
    now: NOW,
    usagePercent: 90,
    freed: 0,
    policy: { minAge: 120_000, maxAge: 0, highThresholdPercent: 85 },
    ...report,
  };
  const collector = { plan: async () => whole } as unknown as ImageCollector;
  return imagesView(collector, { wall: (at: number) => at } as SteadyTime, { now: () => NOW });
}
const rows = (report: object) => viewOf(report as Partial<RoundReport>).rows();

test("the columns, and those that only -o wide has", () => {
  const { columns } = viewOf({});
  const named = (wide: boolean) => columns.filter((one) => (one.wide ?? false) === wide).map(({ name }) => name);
  expect([named(false), named(true)]).toEqual([
    ["image", "size", "used", "users", "next round"],
    ["why", "seen", "id"],
  ]);
});

test("the largest come first, of equals the one with the later id, whatever becomes of them", async () => {
  const outcomes = [
    { image: image("b", 20), verdict: "removed" },
    { image: image("d", 10), verdict: "enough freed" },
  ];
  const kept = [
    { image: image("a", 30), verdict: "pinned" },
    { image: image("c", 20), verdict: "pinned" },
  ];
  expect((await rows({ outcomes, kept })).map(({ id }) => id)).toEqual(["a", "c", "b", "d"]);
});

test("an image that goes", async () => {
  const one = image("web", 3 * 2 ** 20, { lastUsed: NOW - 60_000 });
  expect(await rows({ outcomes: [{ image: one, verdict: "removed" }] })).toEqual([
    {
      image: "docker.io/library/web:1",
      size: expect.stringContaining("3"),
      used: time(60),
      users: "",
      "next round": "goes",
      why: expect.stringContaining("unused for 1m"),
      seen: time(100),
      id: "web",
      bytes: 3 * 2 ** 20,
      names: ["docker.io/library/web:1"],
      pinned: false,
      allUsers: [],
      lastUsed: time(60),
      firstDetected: time(100),
    },
  ]);
});

test.each([
  { users: ["a/b"], shown: "a/b" },
  { users: ["a/b", "a/c"], shown: "a/b and 1 more" },
  { users: ["a/b", "a/c", "a/d"], shown: "a/b and 2 more" },
])("an image in use by $users: now, and the first of them", async ({ users, shown }) => {
  const kept = [{ image: image("web", 1, { pinned: true }), verdict: "in use", users }];
  expect(await rows({ kept })).toMatchObject([
    { used: "now", users: shown, "next round": "in use", allUsers: users, pinned: true },
  ]);
});

test("one that was never used, and was there before hooklet looked", async () => {
  const kept = [{ image: image("web", 1, { firstDetected: undefined }), verdict: "pinned" }];
  expect(await rows({ kept })).toMatchObject([
    { used: "never", users: "", seen: "unknown", lastUsed: null, firstDetected: null },
  ]);
});

test("no use lies in the future: the clock of the machine may have been set back", async () => {
  const kept = [{ image: image("web", 1, { lastUsed: NOW + 60_000 }), verdict: "pinned" }];
  expect(await rows({ kept })).toMatchObject([{ used: time(0) }]);
});
