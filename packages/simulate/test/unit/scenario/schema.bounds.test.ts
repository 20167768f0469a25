/** What a scenario may say beyond what its JSON Schema can: times, quantities, and parts that go together. */
import { expect, test } from "@jest/globals";
import { scenarioSchema } from "../../../src/scenario/schema.js";

/** `path: message` of each fault. */
const faults = (given: object): readonly string[] =>
  scenarioSchema
    .safeParse({ until: "1m", ...given })
    .error?.issues.map(({ path, message }) => `${path.join(".")}: ${message}`) ?? [];

const TIME = "a time such as 90s, 10m, 1h30m or 7d, or a number of seconds";
test.each([
  ["0s", []],
  [0, []],
  ["400d", []],
  [400 * 86_400, []],
  [400 * 86_400 + 1, [`until: ${TIME}`]],
  ["401d", [`until: ${TIME}`]],
  [-1, [`until: ${TIME}`]],
  ["-1s", [`until: ${TIME}`]],
  ["soon", [`until: ${TIME}`]],
])("the time %j", (until, expected) => expect(faults({ until })).toEqual(expected));

const QUANTITY = "a quantity such as 512Mi, 1Gi, 250m or a number";
test.each([
  ["1Gi", []],
  ["250m", []],
  [0, []],
  [7.5, []],
  ["-1", [`node.memory: ${QUANTITY}`]],
  ["lots", [`node.memory: ${QUANTITY}`]],
])("the quantity %j", (memory, expected) => expect(faults({ node: { memory } })).toEqual(expected));

test.each([-1, Number.POSITIVE_INFINITY])("the quantity %d is none", (memory) => {
  expect(faults({ node: { memory } })).toHaveLength(1);
});

const probe = { pod: "a", type: "liveness", result: "failure" };
const NO_ACTION = /^timeline\.0: exactly one action beside "at" \(apply, delete, deleteObject, .*agent\)$/;
test.each<[name: string, step: object, expected: readonly unknown[]]>([
  ["one action", { probe }, []],
  ["no action", {}, [expect.stringMatching(NO_ACTION)]],
  ["two actions", { probe, agent: "restart" }, [expect.stringMatching(NO_ACTION)]],
  ["replicas of pods", { apply: { file: "a" }, replicas: 2 }, []],
  ["replicas of something else", { probe, replicas: 2 }, ['timeline.0.replicas: replicas beside "apply" alone']],
  ["a container that ends at TERM", { onTerm: { pod: "a", code: 1, after: "5s" } }, []],
  ["one that ignores it", { onTerm: { pod: "a", ignored: true } }, []],
  [
    "one that ignores it and ends with a code",
    { onTerm: { pod: "a", ignored: true, code: 1 } },
    ["timeline.0.onTerm: neither code nor after beside ignored: true, for it does not end by itself"],
  ],
  [
    "one that ignores it and ends after a while",
    { onTerm: { pod: "a", ignored: true, after: "5s" } },
    ["timeline.0.onTerm: neither code nor after beside ignored: true, for it does not end by itself"],
  ],
])("a step has %s", (_name, step, expected) => {
  expect(faults({ timeline: [{ at: 0, ...step }] })).toEqual(expected);
});

const NOTHING = "expect.0: what is expected of: one of pod, event, image, device, condition, decision";
const FILES = "expect.0: one of env and file, beside pod alone";
test.each<[name: string, one: object, expected: readonly string[]]>([
  ...["pod", "event", "image", "device", "condition", "decision"].map((what): [string, object, readonly string[]] => [
    `a ${what}`,
    { [what]: "a" },
    [],
  ]),
  ["an event of a pod and a container", { event: "a", pod: "b", container: "c" }, []],
  ["a decision on a pod", { decision: "a", pod: "b" }, []],
  ["nothing", { ready: true }, [NOTHING]],
  ["a pod and an image", { pod: "a", image: "b" }, [NOTHING]],
  ["a variable of a pod", { pod: "a", env: "A", value: "b" }, []],
  ["a variable that a pod does not have", { pod: "a", env: "A", value: null }, []],
  ["a file of a pod", { pod: "a", file: "/b", content: null }, []],
  ["a variable and a file", { pod: "a", env: "A", file: "/b" }, [FILES]],
  ["a variable of an image", { image: "a", env: "A" }, [FILES]],
  ["a variable of an event", { pod: "a", event: "b", env: "A" }, [FILES]],
  ["a file of a decision", { pod: "a", decision: "b", file: "/b" }, [FILES]],
  ["a value of no variable", { pod: "a", value: "b" }, ['expect.0.value: value beside "env" alone']],
  ["content of no file", { pod: "a", content: "b" }, ['expect.0.content: content beside "file" alone']],
])("expected is %s", (_name, one, expected) => expect(faults({ expect: [one] })).toEqual(expected));

test.each(["a", "ns/a"])("an object is named %s", (name) =>
  expect(faults({ timeline: [{ at: 0, deleteObject: { kind: "Secret", name } }] })).toEqual([]),
);

test.each(["a/b/c", "/a", "a/"])("an object is not named %s", (name) =>
  expect(faults({ timeline: [{ at: 0, deleteObject: { kind: "Secret", name } }] })).toEqual([
    "timeline.0.deleteObject.name: NAME or NAMESPACE/NAME",
  ]),
);
