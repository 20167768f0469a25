/** What the API lets be changed of a running pod: images of containers, and conditions of its readiness gates. */
import type { Pod } from "@hooklet/core";
import { expect, test } from "@jest/globals";
import { applyInPlace, tellGates } from "../../../src/pods/update.js";

const pod = (containers: object, initContainers?: object): Pod =>
  ({
    metadata: { uid: "u" },
    spec: {
      containers: Object.entries(containers).map(([name, image]) => ({ name, image })),
      ...(initContainers && {
        initContainers: Object.entries(initContainers).map(([name, image]) => ({ name, image })),
      }),
    },
  }) as never;

test("containers whose image changed restart, init containers too; others and new ones do not", () => {
  const restarts: unknown[] = [];
  const restartContainer = (...all: unknown[]): void => void restarts.push(all);
  const before = pod({ a: "a:1", b: "b:1" }, { init: "i:1", first: "f:1" });
  const after = pod({ a: "a:2", b: "b:1", late: "l:1" }, { init: "i:2", first: "f:1" });
  expect(applyInPlace({ restartContainer } as never, before, after)).toBe(true);
  const restart = (container: string) => [
    { podUid: "u", container },
    { message: `Container ${container} definition changed, will be restarted` },
  ];
  expect(restarts).toEqual([restart("init"), restart("a")]);
  expect(applyInPlace({ restartContainer } as never, pod({ a: "a:1" }), pod({ a: "a:1" }))).toBe(true);
  expect(restarts).toHaveLength(2);
});

function told(shown: object | undefined, inApi: object, gates: readonly string[] | null = ["gate"]) {
  const [said, asked]: [unknown[], unknown[]] = [[], []];
  const pods = {
    get: (uid: string) => {
      asked.push(uid);
      return shown === undefined ? undefined : { status: shown };
    },
    setCondition: (...all: unknown[]) => said.push(all),
  };
  const spec = gates && { readinessGates: gates.map((conditionType) => ({ conditionType })) };
  tellGates(pods as never, { metadata: { uid: "u" }, spec: { ...spec }, status: inApi } as never);
  return { said, asked };
}

const conditions = (...all: object[]) => ({ conditions: all });
const gate = (status: string, more: object = {}) => ({ type: "gate", status, ...more });

test.each<[name: string, shown: object, inApi: object, said: unknown[]]>([
  ["is new", {}, conditions(gate("True")), [{ status: "True" }]],
  [
    "has another status",
    conditions(gate("True")),
    conditions(gate("False", { reason: "R", message: "m" })),
    [{ status: "False", reason: "R", message: "m" }],
  ],
  [
    "has other words",
    conditions(gate("True")),
    conditions(gate("True", { reason: "R" })),
    [{ status: "True", reason: "R" }],
  ],
  ["is gone", conditions(gate("True")), {}, [undefined]],
  ["is gone with its status", conditions(gate("True")), { phase: "Running" }, [undefined]],
  ["is the same", conditions(gate("True", { reason: "R" })), conditions(gate("True", { reason: "R" })), []],
  [
    "has empty words, which are none",
    conditions(gate("True")),
    conditions(gate("True", { reason: "", message: "" })),
    [],
  ],
  [
    "has another time alone",
    conditions(gate("True", { lastTransitionTime: "1" })),
    conditions(gate("True", { lastTransitionTime: "2" })),
    [],
  ],
  ["is of another type", {}, conditions({ type: "other", status: "True" }), []],
])("a condition of a readiness gate that %s in the API", (_name, shown, inApi, said) => {
  expect(told(shown, inApi).said).toEqual(said.map((condition) => ["u", "gate", condition]));
});

test("each gate is compared, and where a pod has none, or is none of the agent's, nothing is set", () => {
  const both = conditions(gate("True"), { type: "more", status: "True" });
  expect(told({}, both, ["gate", "more"]).said).toHaveLength(2);
  expect(told({}, both, [])).toEqual({ said: [], asked: [] });
  expect(told({}, both, null)).toEqual({ said: [], asked: [] });
  expect(told(undefined, both)).toEqual({ said: [], asked: ["u"] });
});
