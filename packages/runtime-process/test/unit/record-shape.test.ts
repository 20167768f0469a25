/** Which state files of containers and sandboxes are taken for whole. */
import { expect, test } from "@jest/globals";
import { checkShape } from "../../src/record-shape.js";

const ID = "a".repeat(64);
const record = {
  container: {
    version: 1,
    id: ID,
    sandboxId: "s",
    podUid: "u",
    createdAt: "1",
    config: {
      metadata: { name: "main", attempt: 0 },
      image: { image: "i" },
      envs: [{ key: "K", value: "v" }],
      mounts: [{ containerPath: "/c", hostPath: "/h" }],
      devices: [{ containerPath: "/c", hostPath: "/h" }],
      labels: { a: "b" },
      annotations: { a: "b" },
      linux: { resources: {}, securityContext: { namespaces: {}, capabilities: {} } },
    },
    imageId: "i",
    rootfs: "/r",
    mode: "root",
    launch: {
      argv: ["app"],
      env: [["A", "b"]],
      workingDir: "/",
      user: { uid: 0, gid: 0, groups: [0] },
      stopSignal: 0,
    },
    logPath: "/log",
    cgroup: "/c",
    startError: { message: "m", at: "1" },
  },
  sandbox: {
    version: 1,
    id: ID,
    createdAt: "12345678901234567890",
    bootId: "b",
    config: {
      metadata: { name: "n", namespace: "ns", uid: "u", attempt: 0 },
      labels: { a: "b" },
      annotations: { a: "b" },
      linux: {},
    },
    stopped: false,
    cgroupParent: "/p",
    cgroupMade: "/m",
  },
} as const;

/** A copy with another value at a place; undefined: without it. */
function changed(kind: "container" | "sandbox", place: string, value: unknown): unknown {
  const copy = structuredClone(record[kind]) as Record<string, unknown>;
  const steps = place.split(".");
  const last = steps.pop() ?? "";
  const parent = steps.reduce((at, step) => at[step] as Record<string, unknown>, copy);
  if (value === undefined) delete parent[last];
  else parent[last] = value;
  return copy;
}

const check = (kind: "container" | "sandbox", place: string, value: unknown) => () =>
  checkShape(kind, changed(kind, place, value), ID);

const KINDS = ["container", "sandbox"] as const;
/** The places of all values, objects and lists included. */
const places = (value: unknown, at = ""): readonly string[] =>
  typeof value === "object" && value !== null
    ? Object.entries(value).flatMap(([key, inner]) => [`${at}${key}`, ...places(inner, `${at}${key}.`)])
    : [];

test.each(KINDS)("a %s is whole with all that is required, and with what a newer version adds", (kind) => {
  check(kind, "future", {})();
  check(kind, "config.future", {})();
});

test.each(KINDS.flatMap((kind) => places(record[kind]).map((place) => [kind, place] as const)))(
  "of a %s, %s has its own type",
  (kind, place) => {
    expect(check(kind, place, null)).toThrow(new RegExp(`^${place.replaceAll(".", "\\.")}: `));
  },
);

const optional = ["rootfs", "cgroup", "startError", "cgroupMade"];
test.each(
  KINDS.flatMap((kind) =>
    places(record[kind])
      // Members of records and lists may be more or fewer.
      .filter((place) => !/(?:labels|annotations|envs|mounts|devices|groups|argv)\.|env\.0$/.test(place))
      .map((place) => [kind, place] as const),
  ),
)("a %s without %s is damaged, unless an older version wrote none", (kind, place) => {
  if (optional.includes(place)) check(kind, place, undefined)();
  else expect(check(kind, place, undefined)).toThrow(place);
});

test.each([
  ["container", "version", 2],
  ["sandbox", "version", 2],
  ["container", "id", "b".repeat(64)],
  ["sandbox", "id", "b".repeat(64)],
  ["sandbox", "createdAt", "123456789012345678901"],
  ["sandbox", "createdAt", "1.5"],
  ["sandbox", "createdAt", "-1"],
  ["container", "createdAt", "x1"],
  ["container", "startError.at", "soon"],
  ["sandbox", "cgroupParent", "relative/"],
  ["sandbox", "cgroupMade", "relative/"],
  ["container", "rootfs", "relative/"],
  ["container", "logPath", ""],
  ["container", "cgroup", "x/"],
  ["container", "launch.workingDir", "w/"],
  ["container", "launch.argv", []],
  ["container", "launch.user.uid", -1],
  ["container", "launch.user.gid", 0.5],
  ["container", "launch.stopSignal", -1],
  ["container", "config.metadata.attempt", -1],
  ["sandbox", "config.metadata.attempt", 1.5],
  ["container", "mode", "other"],
] as const)("a %s with %s %j is damaged", (kind, place, value) => {
  expect(check(kind, place, value)).toThrow(`${place}: `);
});

test.each(["root", "user", "none"])("a container's mode is %s", (mode) => check("container", "mode", mode)());

test.each([[null], ["text"], [5]])("%j is no record at all", (value) => {
  expect(() => checkShape("sandbox", value, ID)).toThrow(/^it: /);
});
