import { describe, expect, test } from "@jest/globals";
import { driverOf } from "../../../src/opening/facts.js";

type Driver = "cgroupfs" | "systemd";

async function driver(reported: Driver | undefined, option: Driver | undefined, name = "cri") {
  const warned: string[] = [];
  const ctx = {
    runtime: { name, facts: async () => ({ cgroupDriver: reported }) },
    log: { warn: (text: string) => warned.push(text) },
  };
  return { taken: await driverOf(ctx as never, { cgroupDriver: option }), warned };
}

describe("the cgroup driver", () => {
  test.each([
    { reported: "systemd", option: undefined, taken: "systemd" },
    { reported: undefined, option: "systemd", taken: "systemd" },
    { reported: undefined, option: undefined, taken: "cgroupfs" },
    { reported: "cgroupfs", option: "cgroupfs", taken: "cgroupfs" },
  ] as const)(
    "is what the runtime says ($reported), else the option ($option)",
    async ({ reported, option, taken }) => {
      expect(await driver(reported, option)).toEqual({ taken, warned: [] });
    },
  );

  test("is the runtime's where the option differs, which is reported", async () => {
    const { taken, warned } = await driver("systemd", "cgroupfs");
    expect(taken).toBe("systemd");
    expect(warned).toEqual(["option cgroupDriver is cgroupfs, but the runtime uses systemd: that is taken"]);
  });

  test("systemd is refused by name on the process runtime", async () => {
    await expect(driver(undefined, "systemd", "process")).rejects.toThrow(
      'option cgroupDriver: expected "cgroupfs" on the process runtime, which makes cgroups itself, found "systemd".',
    );
  });
});
