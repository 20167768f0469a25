import { describe, expect, test } from "@jest/globals";
import { containerLog, type LogParts } from "../../../src/agent/pod-requests.js";
import { aPod } from "../../pod/pods.js";

const parts: LogParts = {
  manager: { worker: () => undefined, get: () => undefined },
  runtime: { logFormat: "cri" },
  podLogsDir: "/var/log/pods",
};

const hint = '"hooklet explain pod web" says';
test.each<[string, object, boolean, string]>([
  ["that waits for its first start", {}, false, `has not started yet, so there is no log. ${hint} what it waits for.`],
  [
    "that was refused",
    { status: { phase: "Failed", reason: "OutOfcpu" } },
    false,
    `was never started: the pod failed before (OutOfcpu). ${hint} why.`,
  ],
  [
    "of a pod that failed without a reason",
    { status: { phase: "Failed" } },
    false,
    `was never started: the pod failed before (Failed). ${hint} why.`,
  ],
  ["of a pod without a status", {}, false, "has not started yet, so there is no log."],
  ["that has not restarted", {}, true, "has not restarted, so there is no previous log. Omit --previous."],
])("there is no log of a container %s", (_, more, previous, says) => {
  const pod = { ...aPod({ containers: [{ name: "main", image: "app:1" }] }, { name: "web" }), ...more };
  expect(() => containerLog(parts, pod, undefined, previous)).toThrow(
    expect.objectContaining({
      code: "NOT_FOUND",
      message: expect.stringContaining(`container "main" of pod default/web ${says}`),
    }),
  );
});

describe("the log of a container", () => {
  const pod = aPod({ initContainers: [{ name: "setup" }], containers: [{ name: "main" }] }, { name: "web" });
  const { uid } = pod.metadata;
  const exit = (attempt: number, id = "c1") => ({ id, attempt });
  const waiting = { waiting: { reason: "CrashLoopBackOff" } };

  function log(
    states: readonly object[],
    { previous = false, name = "main", shown = {} as object, of = {} as object } = {},
  ) {
    let at = 0;
    const containers = () => ({ [name]: states[Math.min(at++, states.length - 1)] });
    const known = (one: string) => one === uid;
    return containerLog(
      {
        ...parts,
        ...of,
        manager: {
          worker: (one: string) => (known(one) ? { state: { containers: containers() } } : undefined),
          get: (one: string) => (known(one) ? { ...pod, status: shown } : undefined),
        } as never,
      },
      pod,
      name,
      previous,
    );
  }
  const attempt = (...args: Parameters<typeof log>) => Number(log(...args).path.match(/(\d+)\.log$/)?.[1]);

  test.each<[string, object, number]>([
    ["runs", { kind: "running", attempt: 2, last: exit(1) }, 2],
    ["has ended", { kind: "exited", exit: exit(3), last: exit(2) }, 3],
    ["waits", { kind: "waiting", attempt: 3, last: exit(2) }, 2],
    ["starts", { kind: "starting", attempt: 3, last: exit(2) }, 2],
    ["was removed to start again", { kind: "waiting", attempt: 5, last: exit(5, "") }, 4],
  ])("that %s is that of its last attempt", (_, state, number) => {
    expect(attempt([state])).toBe(number);
  });

  test.each<[string, object, object, number]>([
    ["runs: the one before", { kind: "running", attempt: 2, last: exit(1) }, {}, 1],
    ["has ended: the one before", { kind: "exited", exit: exit(3), last: exit(2) }, {}, 2],
    ["has ended and waits: the one that ended", { kind: "exited", exit: exit(3), last: exit(2) }, waiting, 3],
    ["runs, whatever its status says", { kind: "running", attempt: 2, last: exit(1) }, waiting, 1],
  ])("with --previous, when it %s", (_, container, state, number) => {
    const shown = {
      containerStatuses: [
        { name: "other", state: {} },
        { name: "main", state },
      ],
    };
    expect(attempt([container], { previous: true, shown })).toBe(number);
  });

  test.each(["initContainerStatuses", "ephemeralContainerStatuses"])("finds its status among %s", (list) => {
    const shown = { [list]: [{ name: "setup", state: waiting }] };
    const ended = { kind: "exited", exit: exit(3), last: exit(2) };
    expect(attempt([ended], { previous: true, name: "setup", shown })).toBe(3);
  });

  test("lies in the pod's folder, in the runtime's form", () => {
    const { path, format } = log([{ kind: "running", attempt: 2 }], { of: { runtime: { logFormat: "raw" } } });
    expect([path, format]).toEqual([`/var/log/pods/default_web_${uid}/main/2.log`, "raw"]);
  });

  test.each<[string, object, boolean]>([
    ["that attempt runs", { kind: "running", attempt: 2 }, false],
    ["another attempt runs", { kind: "running", attempt: 3 }, true],
    ["it has ended", { kind: "exited", exit: exit(2) }, true],
  ])("is complete when %s: %#", (_, now, isEnded) => {
    expect(log([{ kind: "running", attempt: 2 }, now]).ended()).toBe(isEnded);
  });
});
