/** What becomes of probes: what the scenario says, the command's own end, or success. */
import { VirtualClock } from "@hooklet/sim";
import { expect, test } from "@jest/globals";
import { Probes, type ScriptedProbe } from "../../../src/world/probes.js";

const fine: ScriptedProbe = { result: "success", output: "", takes: 0 };

function world(
  execute: (command: readonly string[]) => object = () => ({ exitCode: 0, stdout: "out", stderr: "err" }),
) {
  const clock = new VirtualClock();
  const answered: unknown[] = [];
  const asked: unknown[] = [];
  const probes = new Probes({
    clock,
    exec: async (containerId, command, timeoutSeconds) => {
      asked.push([containerId, command, timeoutSeconds]);
      return execute(command) as never;
    },
    whose: (containerId) => (containerId === "unknown" ? undefined : { podUid: "u", container: "main" }),
    answered: ({ kind }, { result }) => answered.push([kind, result]),
  });
  const attempt = (change: { command?: readonly string[]; id?: string; kind?: string; timeout?: number } = {}) => {
    const { command, id = "c1", kind = "liveness", timeout = 1_000 } = change;
    return probes.attempt(
      {} as never,
      { kind, probe: command === undefined ? {} : { exec: { command } }, timeoutMilliseconds: timeout } as never,
      { containerId: id } as never,
    );
  };
  return { clock, probes, answered, asked, attempt };
}

test("without a word of the scenario a probe succeeds at once", async () => {
  const { answered, attempt, asked } = world();
  expect(await attempt()).toEqual({ result: "success", output: "" });
  expect([answered, asked]).toEqual([[["liveness", "success"]], []]);
});

test.each([
  [0, "success"],
  [1, "failure"],
])("a command that ends with %i is a %s, with all of its output", async (exitCode, result) => {
  const { answered, asked, attempt } = world(() => ({ exitCode, stdout: "out", stderr: "err" }));
  expect(await attempt({ command: ["a", "b"], timeout: 2_500 })).toEqual({ result, output: "outerr" });
  expect(asked).toEqual([["c1", ["a", "b"], 2.5]]);
  expect(answered).toEqual([["liveness", result]]);
});

test("a command that cannot be run is unknown, with the reason", async () => {
  const { attempt } = world(() => {
    throw new Error("no container");
  });
  expect(await attempt({ command: ["a"] })).toEqual({ result: "unknown", output: "", error: "no container" });
});

test.each<[ScriptedProbe["result"], object]>([
  ["success", { result: "success", output: "said" }],
  ["failure", { result: "failure", output: "said" }],
  ["warning", { result: "warning", output: "said" }],
  ["error", { result: "unknown", output: "", error: "said" }],
])("the scenario's %s stands, before any command", async (result, expected) => {
  const { probes, attempt, asked } = world();
  probes.tell("u", "main", "liveness", { ...fine, result, output: "said" });
  expect(await attempt()).toEqual(expected);
  expect(await attempt({ command: ["a"] })).toEqual(expected);
  expect(asked).toEqual([]);
});

test("it is for one container's kind of probe alone, and may be for one of its lives", async () => {
  const { probes, attempt } = world();
  probes.tell("u", "main", "liveness", { ...fine, result: "failure" });
  expect((await attempt({ kind: "readiness" })).result).toBe("success");
  expect((await attempt({ id: "unknown" })).result).toBe("success");
  expect((await attempt()).result).toBe("failure");
  probes.tell("u", "main", "liveness", { ...fine, result: "failure", containerId: "c1" });
  expect([(await attempt()).result, (await attempt({ id: "c2" })).result]).toEqual(["failure", "success"]);
});

test.each([
  { takes: 1_000, after: 1_000, result: "success", output: "said" },
  { takes: 1_001, after: 1_000, result: "failure", output: "context deadline exceeded" },
])(
  "an attempt that takes $takes ms of 1000 is a $result, after $after ms",
  async ({ takes, after, result, output }) => {
    const { clock, probes, attempt } = world();
    probes.tell("u", "main", "liveness", { ...fine, output: "said", takes });
    let answer: unknown;
    void attempt().then((one) => {
      answer = one;
    });
    await clock.advance(after - 1);
    expect(answer).toBeUndefined();
    await clock.advance(1);
    expect(answer).toEqual({ result, output });
  },
);
