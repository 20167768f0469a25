import { describe, expect, test } from "@jest/globals";
import type { AllocateResponse } from "../../../src/device/device.js";
import { runOptions } from "../../../src/device/run-options.js";
import { nothing } from "../../devices.js";

const answer = (parts: Partial<AllocateResponse>): AllocateResponse => ({ ...nothing, ...parts });
const mount = (containerPath: string, hostPath: string) => ({ containerPath, hostPath, readOnly: true });
const node = (containerPath: string, hostPath: string) => ({ containerPath, hostPath, permissions: "rw" });

describe("what a container gets for all its devices", () => {
  test("is undefined without allocations, and empty where the plugins returned nothing", () => {
    expect(runOptions([])).toBeUndefined();
    expect(runOptions([nothing])).toEqual({
      envs: [],
      mounts: [],
      devices: [],
      annotations: [],
      cdiDevices: [],
      conflicts: [],
    });
  });

  test("is what all plugins answered together", () => {
    const one = answer({
      envs: { A: "1" },
      mounts: [mount("/a", "/x")],
      annotations: { a: "1" },
      cdiDevices: ["v/c=0"],
    });
    const two = answer({ envs: { B: "2" }, devices: [node("/dev/b", "/dev/b0")], cdiDevices: ["v/c=1"] });
    expect(runOptions([one, two])).toEqual({
      envs: [
        { name: "A", value: "1" },
        { name: "B", value: "2" },
      ],
      mounts: [mount("/a", "/x")],
      devices: [node("/dev/b", "/dev/b0")],
      annotations: [{ name: "a", value: "1" }],
      cdiDevices: ["v/c=0", "v/c=1"],
      conflicts: [],
    });
  });

  test("contains an equal value of two plugins once, and that is no conflict", () => {
    const same = answer({
      envs: { A: "1" },
      mounts: [mount("/a", "/x")],
      devices: [node("/dev/a", "/dev/a0")],
      annotations: { a: "1" },
      cdiDevices: ["v/c=0"],
    });
    expect(runOptions([same, same])).toEqual(runOptions([same]));
  });

  test("keeps the first of two that contradict each other, and names both", () => {
    const say = (value: string) =>
      answer({
        envs: { A: value },
        mounts: [mount("/lib", `/opt/${value}`)],
        devices: [node("/dev/a", `/dev/${value}`)],
        annotations: { note: value },
      });
    const found = runOptions([say("one"), say("two")]);
    expect({ ...found, conflicts: [] }).toEqual(runOptions([say("one")]));
    expect(found?.conflicts).toEqual([
      { field: "env A", kept: "one", dropped: "two" },
      { field: "mount /lib", kept: "/opt/one", dropped: "/opt/two" },
      { field: "device /dev/a", kept: "/dev/one", dropped: "/dev/two" },
      { field: "annotation note", kept: "one", dropped: "two" },
    ]);
  });
});
