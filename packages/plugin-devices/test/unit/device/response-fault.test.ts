import { describe, expect, test } from "@jest/globals";
import type { AllocateResponse } from "../../../src/device/device.js";
import { responseFault } from "../../../src/device/response-fault.js";
import { nothing } from "../../devices.js";

const fault = (parts: Partial<AllocateResponse>): string | undefined => responseFault({ ...nothing, ...parts });
const device = (parts: object) => ({
  devices: [{ containerPath: "/dev/gpu", hostPath: "/dev/gpu0", permissions: "rw", ...parts }],
});
const mount = (parts: object) => ({
  mounts: [{ containerPath: "/lib", hostPath: "/opt/lib", readOnly: true, ...parts }],
});

describe("what a plugin may answer", () => {
  test.each<{ name: string; answer: Partial<AllocateResponse> }>([
    { name: "nothing at all", answer: {} },
    { name: "a device and a mount", answer: { ...device({}), ...mount({}) } },
    { name: "every permission, in any order", answer: device({ permissions: "mwr" }) },
    { name: "a name with dots in it", answer: mount({ hostPath: "/opt/..data/a..b" }) },
    { name: "a variable with an empty value", answer: { envs: { A: "" } } },
    { name: "10 000 entries", answer: { cdiDevices: Array<string>(10_000).fill("a/b=c") } },
  ])("$name", ({ answer }) => {
    expect(fault(answer)).toBeUndefined();
  });

  test.each<{ name: string; answer: Partial<AllocateResponse>; text: string }>([
    {
      name: "a relative path",
      answer: mount({ containerPath: "lib" }),
      text: 'mount containerPath "lib", expected an absolute path without ..',
    },
    {
      name: "a path that leads out",
      answer: mount({ hostPath: "/opt/../etc" }),
      text: 'mount hostPath "/opt/../etc", expected an absolute path without ..',
    },
    {
      name: "the whole file system, however it is written",
      answer: mount({ hostPath: "//./" }),
      text: 'mount hostPath "//./", expected an absolute path without ..',
    },
    {
      name: "a path with NUL",
      answer: device({ hostPath: "/dev/a\0b" }),
      text: 'device hostPath "/dev/a\\u0000b", expected an absolute path without ..',
    },
    {
      name: "a relative device",
      answer: device({ containerPath: "dev/gpu" }),
      text: 'device containerPath "dev/gpu", expected an absolute path without ..',
    },
    {
      name: "no permissions",
      answer: device({ permissions: "" }),
      text: 'device /dev/gpu: permissions "", expected any of r, w, m',
    },
    {
      name: "one twice",
      answer: device({ permissions: "rr" }),
      text: 'device /dev/gpu: permissions "rr", expected any of r, w, m',
    },
    {
      name: "one of another kind",
      answer: device({ permissions: "rwx" }),
      text: 'device /dev/gpu: permissions "rwx", expected any of r, w, m',
    },
    {
      name: "more than there are",
      answer: device({ permissions: "rwmr" }),
      text: 'device /dev/gpu: permissions "rwmr", expected any of r, w, m',
    },
    {
      name: "a variable without a name",
      answer: { envs: { "": "x" } },
      text: 'env "", expected a name without = and NUL',
    },
    {
      name: "a variable with =",
      answer: { envs: { GOOD: "x", "A=B": "x" } },
      text: 'env "A=B", expected a name without = and NUL',
    },
    {
      name: "a variable with NUL",
      answer: { envs: { "A\0": "x" } },
      text: 'env "A\\u0000", expected a name without = and NUL',
    },
    {
      name: "10 001 entries of all kinds together",
      answer: {
        envs: { A: "" },
        annotations: { a: "" },
        ...device({}),
        ...mount({}),
        cdiDevices: Array<string>(9_997).fill("a/b=c"),
      },
      text: "10001 entries, expected at most 10000",
    },
  ])("not $name", ({ answer, text }) => {
    expect(fault(answer)).toBe(text);
  });

  test("an endless text is cut in the message", () => {
    expect(fault(mount({ hostPath: "x".repeat(80) }))).toContain(`"${"x".repeat(80)}"`);
    expect(fault(mount({ hostPath: "x".repeat(81) }))).toContain(`"${"x".repeat(77)}..."`);
  });
});
