/** Times and quantities of scenarios, and what in their steps has to be known. */
import { describe, expect, test } from "@jest/globals";
import { timing, withFailures } from "../../../src/commands/outcome.js";
import { failuresOf } from "../../../src/run/outcome.js";
import { stepFaults } from "../../../src/scenario/read.js";
import { operationNames, operationOf } from "../../../src/scenario/timed-steps.js";
import { amount, amounts, milliseconds } from "../../../src/values/amounts.js";
import { parseSeconds } from "../../../src/values/seconds.js";
import { simulatedImage } from "../../../src/world/simulated-image.js";

describe("a time", () => {
  test.each([
    ["0", 0],
    ["5s", 5],
    ["250ms", 0.25],
    ["1h30m", 5400],
    ["7d", 604_800],
    ["1.5h", 5400],
    ["1d2h3m4s5ms", 93_784.005],
    ["", undefined],
    ["5", undefined],
    ["s", undefined],
    ["-5s", undefined],
    ["5s ", undefined],
    [" 5s", undefined],
    ["1.s", undefined],
    ["5us", undefined],
    ["1s".repeat(32), 32],
    ["1s".repeat(33), undefined],
  ])("%p is %p seconds", (text, seconds) => {
    expect(parseSeconds(text)).toBe(seconds);
  });

  test("is written in whole milliseconds, a number is seconds", () => {
    expect(["1.5s", 2, 0.0004, "0"].map(milliseconds)).toEqual([1500, 2000, 0, 0]);
    expect(milliseconds("soon")).toBeNaN();
  });
});

test("an amount is a number or a quantity; those that are not given are left out", () => {
  expect(["1Ki", 7, "2"].map(amount)).toEqual([1024, 7, 2]);
  expect(amounts({ memory: "1Ki", cpu: undefined, pids: 0 })).toEqual({ memory: 1024, pids: 0 });
});

test("an image of a scenario has its size in bytes, and an id where one is given", () => {
  const image = { names: ["web:1"], size: "1Ki", pinned: false };
  expect(simulatedImage(image as never)).toEqual({ names: ["web:1"], size: 1024, pinned: false });
  expect(simulatedImage({ ...image, id: "sha256:a" } as never)).toMatchObject({ id: "sha256:a" });
});

describe("operations of the runtime", () => {
  test("have the CRI's names, each another one of the port's", () => {
    expect(operationNames).toContain("RunPodSandbox");
    expect(new Set(operationNames.map(operationOf)).size).toBe(operationNames.length);
    expect(operationOf("PullImage")).toBe("pullImage");
  });

  test.each(["pullImage", "toString", "__proto__", ""])("are not %p", (name) => {
    expect(operationOf(name)).toBeUndefined();
  });
});

describe("a step that names something unknown", () => {
  const devices = { "v.example/gpu": [{ id: "g1" }, { id: "g2" }], "v.example/empty": [] };
  const faultsOf = (...timeline: readonly object[]) =>
    stepFaults({ devices, timeline } as never).map((fault) => JSON.stringify(fault));

  test.each([
    {
      name: "an operation that fails",
      step: { fault: { op: "PullImages" } },
      at: '["timeline",1,"fault","op"]',
      expected: "an operation of the runtime (RunPodSandbox, StopPodSandbox, ",
      near: "PullImage",
    },
    {
      name: "an operation that takes long",
      step: { delay: { op: "pull" } },
      at: '["timeline",1,"delay","op"]',
      expected: "an operation of the runtime (",
      near: "",
    },
    {
      name: "a resource of devices",
      step: { device: { resource: "v.example/gp", id: "g1" } },
      at: '["timeline",1,"device","resource"]',
      expected: "a resource of devices",
      near: "v.example/gpu",
    },
    {
      name: "a device plugin's resource",
      step: { devicePlugin: { resource: "v.example/gpus" } },
      at: '["timeline",1,"devicePlugin","resource"]',
      expected: "a resource of devices",
      near: "v.example/gpu",
    },
    {
      name: "a device",
      step: { device: { resource: "v.example/gpu", id: "g3" } },
      at: '["timeline",1,"device","id"]',
      expected: "a device of v.example/gpu",
      near: "g1",
    },
  ])("is reported with its place: $name", ({ step, at, expected, near }) => {
    const faults = faultsOf({}, step);
    expect(faults).toHaveLength(1);
    expect(faults[0]).toContain(at);
    expect(faults[0]).toContain(expected);
    expect(faults[0]).toContain(near);
  });

  test.each([
    { name: "nothing", step: {} },
    { name: "what is known", step: { fault: { op: "PullImage" }, delay: { op: "ExecSync" } } },
    { name: "a device that is there", step: { device: { resource: "v.example/gpu", id: "g2" } } },
    {
      name: "a device of a resource whose devices are not listed",
      step: { device: { resource: "v.example/empty", id: "x" } },
    },
  ])("is not one that names $name", ({ step }) => {
    expect(faultsOf(step)).toEqual([]);
  });
});

test("expectations and steps that fail are figures, as are errors of plugins and strategies", () => {
  const failure = { path: "expect[0]", t: 0, what: "", difference: "" };
  const of = {
    expectations: [{ failure }, { failure: undefined }],
    failedSteps: [failure],
    faults: [failure],
    figures: { evicted: 1 },
  };
  expect(failuresOf(of as never)).toHaveLength(3);
  expect(withFailures(of as never)).toEqual({
    evicted: 1,
    "expectations that fail": 1,
    "steps that could not be done": 1,
    "errors of plugins and strategies": 1,
  });
});

test("how long and with which seed is handed on where it is given", () => {
  expect(timing({ until: "5s", seed: "1" })).toEqual({ until: "5s", seed: "1" });
  expect(timing({})).toStrictEqual({});
  expect(timing({ until: "5s" })).toStrictEqual({ until: "5s" });
  expect(timing({ seed: "1" })).toStrictEqual({ seed: "1" });
});
