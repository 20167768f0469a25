import { expect, test } from "@jest/globals";
import { cappedAtUsage } from "../../../src/manager/node-tree.js";

const setting = (path: string, file: string, value: number) => ({
  path,
  file,
  value: String(value),
  why: "qosReserved",
});
const refused = (file: string, errno: string | undefined) => ({
  path: "/kubepods/burstable",
  file,
  wanted: "1",
  got: "2",
  errno,
  message: "",
});
const usage = (path: string): number | undefined => ({ "/kubepods/burstable": 500, "/kubepods/besteffort": 50 })[path];

test.each(["memory.limit_in_bytes", "memory.max"])(
  "once the kernel refuses a limit (%s) because the memory is in use already, each class is held at what it uses",
  (file) => {
    const plan = [
      setting("/kubepods/burstable", "cpu.shares", 2),
      setting("/kubepods/burstable", file, 400),
      setting("/kubepods/besteffort", file, 100),
      setting("/kubepods/gone", file, 100),
    ];
    expect(cappedAtUsage(plan, [refused(file, "EBUSY")], usage)).toEqual([
      {
        path: "/kubepods/burstable",
        file,
        value: "500",
        why: "in use: 500; wanted 400 (qosReserved)",
      },
    ]);
  },
);

test("a limit at what is in use stays as it is", () => {
  const plan = [setting("/kubepods/burstable", "memory.max", 500)];
  expect(cappedAtUsage(plan, [refused("memory.max", "EBUSY")], usage)).toEqual([]);
});

test.each([
  { name: "nothing was refused", refusals: [] },
  { name: "something else was refused", refusals: [refused("cpu.shares", "EINVAL")] },
  { name: "the kernel took the limit and made another of it", refusals: [refused("memory.max", undefined)] },
])("nothing is held where $name", ({ refusals }) => {
  expect(cappedAtUsage([setting("/kubepods/burstable", "memory.max", 400)], refusals, usage)).toEqual([]);
});
