/** Why a container ended: what its state, its events and its log tell, the strongest first. */
import type { Pod } from "@hooklet/manifest";
import { describe, expect, test } from "@jest/globals";
import type { ContainerStateTerminated, Event } from "kubernetes-types/core/v1.js";
import { anEvent, aPod } from "../../../../../server/test/samples.js";
import { endedCause } from "../../../../src/print/cause/exits.js";
import type { Cause } from "../../../../src/print/cause/facts.js";

const AGAIN = "in its manifest and apply it again";
const FILE = { metadata: { annotations: { "kubernetes.io/config.source": "file" } } };

interface Given {
  readonly pod?: Parameters<typeof aPod>[1];
  readonly ended?: Partial<ContainerStateTerminated>;
  readonly events?: readonly Event[];
  readonly log?: readonly string[];
  readonly pods?: readonly Pod[];
}

function causeOf({ pod = {}, ended = {}, events = [], log = [], pods = [] }: Given): Cause {
  const own = aPod("web", pod);
  const status = { name: "main", ready: false, restartCount: 1, image: "host", imageID: "" };
  const facts = { pod: own, events, decisions: [], pods, logs: new Map([["main", log]]) };
  return endedCause(facts, status, { exitCode: 1, startedAt: "2026-11-21T09:59:00Z", ...ended });
}

const about = (reason: string, message: string, more: object = {}): Event =>
  anEvent("web", reason, {
    type: "Warning",
    message,
    involvedObject: { kind: "Pod", name: "web", fieldPath: "spec.containers{main}" },
    ...more,
  });

const gone = { status: { containerStatuses: [] } };

test("without a limit of the container, memory ran out elsewhere", () => {
  expect(causeOf({ ended: { exitCode: 137, reason: "OOMKilled" } })).toEqual({
    cause: "Container main was killed because memory ran out (OOMKilled); it has no limit of its own.",
    next: "Let it use less memory, or give the pod or the node more; hooklet top pods shows who uses what.",
  });
});

describe("a container that cannot start", () => {
  const start = (message: string, more: Given = {}): Cause =>
    causeOf({ ...more, ended: { exitCode: 128, reason: "StartError", message } });

  test.each<[string, Cause, Cause]>([
    [
      "a program that is not in the PATH",
      start('exec: "nope": executable file not found in $PATH'),
      {
        cause: "Container main cannot start: its image has no program nope.",
        next: `Correct the container's command ${AGAIN}, or use an image that has it.`,
      },
    ],
    [
      "a file that is no program",
      start('exec: "/data": permission denied'),
      {
        cause: "Container main cannot start: /data may not be executed.",
        next: "Make the file executable (chmod +x) in the image, or correct the container's command.",
      },
    ],
    [
      "a program that fails for another reason",
      start('exec: "/a": exec format error'),
      {
        cause: 'Container main cannot start: exec: "/a": exec format error.',
        next: `Correct the container's command ${AGAIN}.`,
      },
    ],
    [
      "no message at all",
      start(""),
      {
        cause: "Container main cannot start: exit code 128.",
        next: "The set-up failed, not the container's command: the node tries again by itself; if a mount in the manifest cannot work, change it there.",
      },
    ],
    [
      "a set-up that failed, of a pod that is not tried again",
      start("no /proc.", { pod: { status: { phase: "Failed" } } }),
      {
        cause: "Container main cannot start: no /proc.",
        next: "The set-up failed, not the container's command: hooklet delete pod web and apply it again.",
      },
    ],
    [
      "a set-up that failed in several ways",
      start("\n one.\n\n two.\n three.\n"),
      {
        cause: "Container main cannot start: one (and 2 more below).",
        next: "The set-up failed, not the container's command: the node tries again by itself; if a mount in the manifest cannot work, change it there.",
      },
    ],
    [
      "Docker's word for it",
      causeOf({ ended: { reason: "ContainerCannotRun", message: 'exec: "a": not found' } }),
      {
        cause: "Container main cannot start: its image has no program a.",
        next: `Correct the container's command ${AGAIN}, or use an image that has it.`,
      },
    ],
  ])("%s", (_name, cause, expected) => expect(cause).toEqual(expected));
});

describe("a container that the node ended", () => {
  const killed = (probe: string, more: object = {}): Event =>
    about("Killing", `Container main failed ${probe} probe, will be restarted`, { type: "Normal", ...more });

  test("by its startup probe, of which an event tells what it met", () => {
    const events = [
      about("Unhealthy", "Startup probe errored and resulted in unknown state: no such file"),
      killed("startup"),
    ];
    expect(causeOf({ events })).toEqual({
      cause: "Container main is restarted because its startup probe fails: no such file.",
      next: `Let the program answer the probe, or change startupProbe ${AGAIN}.`,
    });
  });

  test("by its liveness probe, of which nothing is known any more", () => {
    expect(causeOf({ events: [killed("liveness")], pod: FILE })).toEqual({
      cause: "Container main is restarted because its liveness probe fails.",
      next: "Let the program answer the probe, or change livenessProbe in its manifest file.",
    });
  });

  test.each<[string, Event]>([
    ["another container's", killed("liveness", { involvedObject: { kind: "Pod", fieldPath: "spec.containers{db}" } })],
    ["the pod's as a whole", killed("liveness", { involvedObject: { kind: "Pod" } })],
    ["an earlier run's", killed("liveness", { lastTimestamp: "2026-11-21T09:58:59Z" })],
    ["another kind of", about("Unhealthy", "Container main failed liveness probe")],
    ["a deletion's", about("Killing", "Stopping container main")],
  ])("but %s event does not tell of it", (_name, event) => {
    expect(causeOf({ events: [event], pod: gone }).cause).toBe("Container main ends with exit code 1.");
  });

  test("an event of the second in which it started tells of this run", () => {
    const events = [killed("liveness", { lastTimestamp: "2026-11-21T09:59:00Z" })];
    expect(causeOf({ events }).cause).toContain("its liveness probe fails");
  });

  test("an event tells of a run whose start is not known", () => {
    const ended = { exitCode: 1, startedAt: undefined } as unknown as ContainerStateTerminated;
    expect(causeOf({ ended, events: [about("FailedPostStartHook", "x")] }).cause).toBe(
      "The postStart hook of container main failed, so the container was stopped.",
    );
  });
});

describe("a port that is in use", () => {
  const line = "listen tcp 0.0.0.0:8080: bind: address already in use";
  const spec = { containers: [{ name: "main", image: "host", ports: [{ containerPort: 9090 }] }] };
  const ends = "so container main ends with an error.";
  const other = (name: string, container: object, status: object = {}): Pod =>
    aPod(name, { spec: { containers: [{ name: "a", image: "host", ...container }] }, status });

  test.each([line, "Error: EADDRINUSE :::8080", "Port is already allocated :8080", "port is already in use :8080"])(
    "%s: the port is the last number behind a colon",
    (text) => {
      expect(causeOf({ log: ["10:00:01 start", `10:00:02 ${text}`, "bye"] })).toEqual({
        cause: `Port 8080 is in use, ${ends}`,
        next: `Choose another port ${AGAIN}, or end the process that has it (ss -ltnp 'sport = :8080' names it).`,
      });
    },
  );

  test("without a number it is the container's first port", () => {
    expect(causeOf({ log: ["EADDRINUSE"], pod: { spec } }).cause).toBe(`Port 9090 is in use, ${ends}`);
  });

  test("the container's message tells of it as its log does", () => {
    expect(causeOf({ ended: { message: line } }).cause).toBe(`Port 8080 is in use, ${ends}`);
  });

  test.each<[string, Pod]>([
    ["a port of its own", other("db", { ports: [{ containerPort: 8080 }] })],
    ["a port of the host", other("db", { ports: [{ containerPort: 1, hostPort: 8080 }] })],
    ["a variable", other("db", { env: [{ name: "HTTP_PORT", value: "8080" }] })],
  ])("another pod that has it, by %s, is named", (_name, holder) => {
    expect(causeOf({ log: [line], pods: [aPod("web"), holder] })).toEqual({
      cause: `Port 8080 is in use by pod default/db, ${ends}`,
      next: `Choose another port ${AGAIN}, or delete that pod.`,
    });
  });

  test.each<[string, Pod]>([
    ["itself", other("web", { ports: [{ containerPort: 8080 }] })],
    ["a pod that has ended", other("db", { ports: [{ containerPort: 8080 }] }, { phase: "Failed" })],
    ["a pod with another variable", other("db", { env: [{ name: "PORTS", value: "8080" }] })],
    ["a pod with another port", other("db", { ports: [{ containerPort: 80, hostPort: 81 }], env: [{ name: "PORT" }] })],
  ])("but not %s", (_name, holder) => {
    expect(causeOf({ log: [line], pods: [holder] }).cause).toBe(`Port 8080 is in use, ${ends}`);
  });
});

describe("how it ended", () => {
  test.each([
    [{ exitCode: 2 }, "ends with exit code 2"],
    [{ exitCode: 130 }, "was interrupted (SIGINT)"],
    [{ exitCode: 134 }, "aborted itself (SIGABRT)"],
    [{ exitCode: 137 }, "was killed (SIGKILL)"],
    [{ exitCode: 139 }, "crashed with a memory fault (SIGSEGV)"],
    [{ exitCode: 143 }, "was stopped (SIGTERM)"],
    [{ exitCode: 255, signal: 9 }, "was killed (SIGKILL)"],
    [{ exitCode: 1, signal: 1 }, "ends with exit code 1"],
  ])("%j: it %s", (ended, how) => {
    expect(causeOf({ ended, pod: gone }).cause).toBe(`Container main ${how}.`);
  });

  test.each<[string, readonly string[], string]>([
    ["the last line that tells of an error", ["error: one", "Fatal: two", "bye"], "Fatal: two"],
    ["else the last line that is not empty", ["hello", " bye ", "  "], "bye"],
    ...[
      "Error",
      "exception",
      "fatal",
      "panic",
      "cannot",
      "can't",
      "failed",
      "denied",
      "not found",
      "no such",
      "invalid",
      "refused",
      "missing",
    ].map((word): [string, readonly string[], string] => [
      `a line with ${word}`,
      [`it ${word} it`, "bye"],
      `it ${word} it`,
    ]),
  ])("it said %s", (_name, log, said) => {
    expect(causeOf({ log, pod: gone })).toEqual({
      cause: `Container main ends with exit code 1: ${said}.`,
      next: "Fix that (the whole log: hooklet logs web).",
    });
  });

  test("a message of its own goes before the log", () => {
    expect(causeOf({ ended: { message: "no licence\n" }, log: ["error"], pod: gone }).cause).toBe(
      "Container main ends with exit code 1: no licence.",
    );
  });

  test("the log of a container that runs again is that of its previous run", () => {
    expect(causeOf({}).next).toBe("It wrote nothing that tells why; read its log with hooklet logs web -p.");
  });

  test("a pod that has failed is deleted and applied again", () => {
    const pod = { status: { phase: "Failed", containerStatuses: [] }, metadata: { namespace: "team" } };
    expect(causeOf({ pod }).next).toBe(
      "It wrote nothing that tells why; read its log with hooklet logs web -n team, then hooklet delete pod web -n team and apply it again.",
    );
    expect(causeOf({ pod: { ...gone, ...FILE }, log: ["x"] }).next).toBe(
      "Fix that (the whole log: hooklet logs web); a change of its manifest file restarts it.",
    );
    expect(causeOf({ pod: { ...FILE, status: { phase: "Failed", containerStatuses: [] } }, log: ["x"] }).next).toBe(
      "Fix that (the whole log: hooklet logs web), then change its manifest file, which restarts it.",
    );
  });

  test.each([
    [undefined, "Always"],
    ["OnFailure", "OnFailure"],
  ])("success is started again by restartPolicy %s", (restartPolicy, shown) => {
    const spec = { restartPolicy, initContainers: [{ name: "main", image: "host" }], containers: [] };
    expect(causeOf({ ended: { exitCode: 0 }, pod: { spec, ...gone } })).toEqual({
      cause: `Init container main ends with exit code 0, and restartPolicy ${shown} starts it again.`,
      next: "If it is a job, set restartPolicy to OnFailure or Never; if it is a server, it must not end: hooklet logs web -c main shows what it wrote.",
    });
  });
});
