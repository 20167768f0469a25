/** What becomes of a container's start that failed: its waiting reason, its event, and when it is tried again. */

import { RuntimeError } from "@hooklet/cri-api";
import { VirtualClock } from "@hooklet/testkit";
import { beforeEach, describe, expect, test } from "@jest/globals";
import { ImageError } from "../../../../../src/images/ensure-image.js";
import { containerType, failed, StartFailure } from "../../../../../src/pod/life/start/failures.js";
import { type ContainerState, initialState, type PodState } from "../../../../../src/pod/state.js";
import { aContainer, aPod } from "../../../../pod/pods.js";

const NOW = 5_000;
const first = aContainer("first");
const main = aContainer("main");
const pod = aPod({ initContainers: [first], containers: [main] });

let clock: VirtualClock;
let stop: AbortController;
let log: unknown[];
beforeEach(async () => {
  clock = new VirtualClock();
  await clock.advance(NOW - clock.monotonic());
  stop = new AbortController();
  log = [];
});

function fail(error: unknown, container = main, now?: ContainerState): readonly unknown[] {
  const initial = initialState(pod, 0, 0);
  const state: PodState = now === undefined ? initial : { ...initial, containers: { [container.name]: now } };
  const ports = {
    clock,
    events: { pod: (_: object, ...words: readonly string[]) => log.push(words.join(" ")) },
    metrics: { startedContainerError: (...words: readonly string[]) => log.push(words.join(" ")) },
  };
  const context = { ports, state: () => state, dispatch: (event: object) => log.push(event), signal: stop.signal };
  failed(context as never, container, error);
  return log;
}
const startFailed = (reason: string, message: string, notBefore: number, container = "main") => ({
  type: "startFailed",
  container,
  reason,
  message,
  notBefore,
});

test("any error is one of the container's creation: reported, counted, and tried again after 10 s", () => {
  expect(fail(new Error("boom"))).toEqual([
    "container CreateContainerError",
    "Warning Failed Error: boom main",
    startFailed("CreateContainerError", "boom", NOW + 10_000),
  ]);
});

test.each(["CreateContainerConfigError", "CreateContainerError", "PreCreateHookError", "RunContainerError"] as const)(
  "a known failure keeps its reason: %s",
  (reason) => {
    expect(fail(new StartFailure(reason, new Error("boom")), first)).toEqual([
      `init_container ${reason}`,
      "Warning Failed Error: boom first",
      startFailed(reason, "boom", NOW + 10_000, "first"),
    ]);
  },
);

test("an image that cannot be had has its own time, and its event the reason alone: the pull has reported the rest", () => {
  expect(fail(new ImageError("ErrImagePull", "no route", NOW + 77))).toEqual([
    "container ErrImagePull",
    "Warning Failed Error: ErrImagePull main",
    startFailed("ErrImagePull", "no route", NOW + 77),
  ]);
});

describe("is not the container's fault, is no event, and is tried again after a second", () => {
  const again = [startFailed("ContainerCreating", "", NOW + 1_000)];

  test.each([
    ["a runtime that is away", new RuntimeError("unavailable", "away")],
    ["a failure because of that", new StartFailure("RunContainerError", new RuntimeError("unavailable", "away"))],
  ])("%s", (_, error) => {
    expect(fail(error)).toEqual(again);
  });

  test("whatever happens once the pod is to be stopped", () => {
    stop.abort();
    expect(fail(new Error("boom"))).toEqual(again);
  });
});

describe("a failing plugin is tried again", () => {
  const starting = (failures?: number) =>
    ({ kind: "starting", attempt: 0, ...(failures !== undefined && { failures }) }) as unknown as ContainerState;

  test.each([
    [undefined, 10_000],
    [0, 10_000],
    [1, 20_000],
    [4, 160_000],
    [5, 300_000],
    [40, 300_000],
  ])("after %s failures in %i ms", (failures, delay) => {
    fail(new StartFailure("PreCreateHookError", new Error("boom")), main, starting(failures));
    expect(log.at(-1)).toEqual(startFailed("PreCreateHookError", "boom", NOW + delay));
  });

  test("and nothing else takes longer each time", () => {
    fail(new StartFailure("RunContainerError", new Error("boom")), main, starting(4));
    expect(log.at(-1)).toMatchObject({ notBefore: NOW + 10_000 });
  });

  test("at the usual pace when its container does not start any more", () => {
    const waiting = { kind: "waiting", attempt: 0, failures: 4 } as unknown as ContainerState;
    fail(new StartFailure("PreCreateHookError", new Error("boom")), main, waiting);
    expect(log.at(-1)).toMatchObject({ notBefore: NOW + 10_000 });
  });
});

test("init containers are counted apart from all others", () => {
  const state = initialState(pod, 0, 0);
  expect([containerType(state, first), containerType(state, main)]).toEqual(["init_container", "container"]);
});

test("a failure keeps what it came from", () => {
  const cause = new Error("boom");
  expect(new StartFailure("RunContainerError", cause)).toMatchObject({ message: "boom", cause });
});
