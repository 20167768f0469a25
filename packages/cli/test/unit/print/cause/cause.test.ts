/** The first two lines of `hooklet explain` for a pod that is not Ready. */

import type { Decision } from "@hooklet/core";
import type { Pod } from "@hooklet/manifest";
import { describe, expect, test } from "@jest/globals";
import { anEvent, aPod, NOW } from "../../../../../server/test/samples.js";
import { causeOf } from "../../../../src/print/cause/cause.js";
import type { CauseFacts } from "../../../../src/print/cause/facts.js";

const NOT_READY = { conditions: [{ type: "Ready", status: "False" }] };

function container(state: object, more: object = {}, name = "main"): object {
  return { name, ready: false, restartCount: 2, image: "host", imageID: "", state, ...more };
}

function withMain(state: object, more: object = {}): object {
  return { ...NOT_READY, containerStatuses: [container(state, more)] };
}

const waits = (reason: string, message = ""): object => withMain({ waiting: { reason, message } });

const crashed = (ended: object = {}): object =>
  withMain(
    { waiting: { reason: "CrashLoopBackOff", message: "back-off 10s" } },
    { lastState: { terminated: { exitCode: 1, reason: "Error", startedAt: "2026-11-21T09:59:00Z", ...ended } } },
  );

const failed = (reason: string, message: string): object => ({
  ...NOT_READY,
  phase: "Failed",
  reason,
  message,
  containerStatuses: [],
});

const shortText = (resource: string, requested: number, used: number, capacity: number): string =>
  `Node didn't have enough resource: ${resource}, requested: ${requested}, used: ${used}, capacity: ${capacity}`;

const short = (resource: string, requested: number, used: number, capacity: number): object =>
  failed(`OutOf${resource}`, `Pod was rejected: ${shortText(resource, requested, used, capacity)}`);

const decided = (considered: Decision["considered"], more: Partial<Decision> = {}): Decision => ({
  at: NOW,
  plugin: "core",
  strategy: "podAdmit",
  subject: "pod/default/web",
  outcome: "rejected",
  considered,
  ...more,
});

const warned = (reason: string, message: string): ReturnType<typeof anEvent> =>
  anEvent("web", reason, {
    type: "Warning",
    message,
    involvedObject: { kind: "Pod", name: "web", uid: "uid-web", fieldPath: "spec.containers{main}" },
  });

const spec = (own: object, more: object = {}): object => ({
  containers: [{ name: "main", image: "web:1", ...own }],
  ...more,
});

interface Broken {
  readonly name: string;
  readonly pod: Parameters<typeof aPod>[1];
  readonly facts?: Partial<Omit<CauseFacts, "pod" | "logs">> & { readonly log?: readonly string[] };
  readonly cause: string;
  readonly next: string;
}

const BROKEN: readonly Broken[] = [
  {
    name: "a port in use that a pod has",
    pod: { status: crashed() },
    facts: {
      log: ["Error: listen EADDRINUSE: address already in use 127.0.0.1:18080", "  code: 'EADDRINUSE',"],
      pods: [
        aPod("other", { spec: { containers: [{ name: "a", image: "host", ports: [{ containerPort: 18080 }] }] } }),
      ],
    },
    cause: "Port 18080 is in use by pod default/other, so container main ends with an error.",
    next: "Choose another port in its manifest and apply it again, or delete that pod.",
  },
  {
    name: "a port in use that no pod has, and that the log does not name",
    pod: { status: crashed() },
    facts: { log: ["Traceback", "OSError: [Errno 98] Address already in use"] },
    cause: "A port that it listens on is in use, so container main ends with an error.",
    next: "Choose another port in its manifest and apply it again, or end the process that has it (ss -ltnp names it).",
  },
  {
    name: "an image that is not pulled",
    pod: {
      spec: spec({ image: "nginx:1.29" }),
      status: waits("ErrImageNeverPull", "import it with `hooklet image import`"),
    },
    cause: "Image nginx:1.29 is not on this node, and it is not pulled.",
    next: `Import it (hooklet image import nginx:1.29 FILE.tar), or use the image "host", the machine's own files.`,
  },
  {
    name: "an image that the registry does not have, in back-off",
    pod: {
      spec: spec({ image: "reg/web:9" }),
      status: waits("ImagePullBackOff", 'Back-off pulling image "reg/web:9"'),
    },
    facts: {
      events: [
        warned("Failed", 'Failed to pull image "reg/web:9": rpc error: code = NotFound desc = reg/web:9: not found'),
      ],
    },
    cause: "Image reg/web:9 cannot be pulled: reg/web:9: not found.",
    next: "Correct the image's name or tag in its manifest and apply it again.",
  },
  {
    name: "an image that asks for a password",
    pod: { spec: spec({ image: "reg/web:9" }), status: waits("ErrImagePull", "401 Unauthorized") },
    cause: "Image reg/web:9 cannot be pulled: 401 Unauthorized.",
    next: "Name imagePullSecrets that may read this image in its manifest and apply it again.",
  },
  {
    name: "an image name that is none",
    pod: { spec: spec({ image: "WEB" }), status: waits("InvalidImageName") },
    cause: '"WEB" is no valid image name.',
    next: "Write REPOSITORY[:TAG][@DIGEST] in lower case, such as web:1, in its manifest and apply it again.",
  },
  {
    name: "a crash whose log tells why",
    pod: { status: crashed({ exitCode: 3 }) },
    facts: { log: ["starting", "cannot find my database"] },
    cause: "Container main ends with exit code 3: cannot find my database.",
    next: "Fix that (the whole log: hooklet logs web).",
  },
  {
    name: "a crash that says nothing",
    pod: { status: crashed() },
    cause: "Container main ends with exit code 1.",
    next: "It wrote nothing that tells why; read its log with hooklet logs web.",
  },
  {
    name: "a static pod that crashes",
    pod: { metadata: { annotations: { "kubernetes.io/config.source": "file" } }, status: crashed() },
    facts: { log: ["no route"] },
    cause: "Container main ends with exit code 1: no route.",
    next: "Fix that (the whole log: hooklet logs web); a change of its manifest file restarts it.",
  },
  {
    name: "a memory fault",
    pod: { status: crashed({ exitCode: 139 }) },
    cause: "Container main crashed with a memory fault (SIGSEGV).",
    next: "It wrote nothing that tells why; read its log with hooklet logs web.",
  },
  {
    name: "more memory than its limit",
    pod: {
      spec: spec({ resources: { limits: { memory: "20Mi" } } }),
      status: crashed({ exitCode: 137, reason: "OOMKilled" }),
    },
    cause: "Container main was killed because it used more than its memory limit of 20Mi (OOMKilled).",
    next: "Let it use less memory, or raise resources.limits.memory in its manifest and apply it again.",
  },
  {
    name: "a program that the image does not have",
    pod: {
      status: crashed({
        exitCode: 128,
        reason: "StartError",
        message: 'exec: "/nope": stat /nope: no such file or directory',
      }),
    },
    cause: "Container main cannot start: its image has no program /nope.",
    next: "Correct the container's command in its manifest and apply it again, or use an image that has it.",
  },
  {
    name: "no command",
    pod: {
      spec: spec({ image: "host" }),
      status: waits("CreateContainerError", "no command specified: image host has neither"),
    },
    cause: 'Container main has no command, and its image "host" brings none.',
    next: "Set the container's command in its manifest and apply it again.",
  },
  {
    name: "a readiness probe that fails",
    pod: { spec: spec({ readinessProbe: {} }), status: withMain({ running: {} }, { started: true }) },
    facts: {
      events: [warned("Unhealthy", "Readiness probe failed: dial tcp 10.0.0.1:80: connect: connection refused")],
    },
    cause: "The readiness probe of container main fails: dial tcp 10.0.0.1:80: connect: connection refused.",
    next: "Let the program answer the probe, or change readinessProbe in its manifest and apply it again.",
  },
  {
    name: "a startup probe that has not succeeded",
    pod: { spec: spec({ startupProbe: {} }), status: withMain({ running: {} }, { started: false }) },
    cause: "The startup probe of container main has not succeeded yet.",
    next: "Wait for it: hooklet wait --for condition=Ready pod/web.",
  },
  {
    name: "a liveness probe that restarts it",
    pod: { status: crashed({ exitCode: 143 }) },
    facts: {
      events: [
        warned("Unhealthy", "Liveness probe failed: connection refused"),
        { ...warned("Killing", "Container main failed liveness probe, will be restarted"), type: "Normal" },
      ],
    },
    cause: "Container main is restarted because its liveness probe fails: connection refused.",
    next: "Let the program answer the probe, or change livenessProbe in its manifest and apply it again.",
  },
  {
    name: "a device that the node does not have",
    pod: { status: short("example.com/gpu", 1, 0, 0) },
    cause: "The node has no example.com/gpu, of which the pod requests 1.",
    next: "Start the device plugin that offers example.com/gpu (hooklet get devices lists what there is), then hooklet delete pod web and apply it again.",
  },
  {
    name: "cpu that other pods hold",
    pod: { status: short("cpu", 1500, 1000, 2000) },
    facts: { decisions: [decided([{ candidate: "pod/default/db", verdict: "uses", why: "cpu: 1000 of 2000" }])] },
    cause: "The node has too little cpu: the pod requests 1500m, and 1 of 2 is in use (by default/db).",
    next: "Delete a pod that holds some, or request at most what is free now (cpu 1), then hooklet delete pod web and apply it again.",
  },
  {
    name: "more memory than the node has",
    pod: { status: short("memory", 4 * 1024 ** 3, 0, 1024 ** 3) },
    cause: "The node has too little memory: the pod requests 4Gi, and 0 of 1Gi is in use.",
    next: "Request at most what is free now (memory 1Gi), then hooklet delete pod web and apply it again.",
  },
  {
    name: "more of two resources than the node has, refused a second time",
    pod: { status: short("cpu", 64000, 50, 2000) },
    facts: {
      decisions: [
        decided([{ candidate: "pod/default/old", verdict: "uses", why: "cpu: 1000 of 2000" }]),
        decided([
          { candidate: "core", verdict: "OutOfcpu", why: shortText("cpu", 64000, 50, 2000) },
          {
            candidate: "core",
            verdict: "OutOfmemory",
            why: shortText("memory", 2 * 1024 ** 4, 64 * 1024 ** 2, 24.5 * 1024 ** 3 + 1),
          },
          { candidate: "pod/default/db", verdict: "uses", why: "cpu: 50 of 2000" },
          { candidate: "pod/default/db", verdict: "uses", why: `memory: ${64 * 1024 ** 2} of ${24.5 * 1024 ** 3 + 1}` },
        ]),
      ],
    },
    cause:
      "The node has too little cpu: the pod requests 64, and 50m of 2 is in use (by default/db); and too little memory: the pod requests 2Ti, and 64Mi of 25088Mi is in use (by default/db).",
    next: "Request at most what is free now (cpu 1950m, memory 25024Mi), then hooklet delete pod web and apply it again.",
  },
  {
    name: "a set-up that failed",
    pod: {
      status: crashed({
        exitCode: 128,
        reason: "StartError",
        message:
          "failed to set up the container: mount: /r/proc: permission denied.\nmount: /r/dev: mount point does not exist.",
      }),
    },
    cause:
      "Container main cannot start: failed to set up the container: mount: /r/proc: permission denied (and 1 more below).",
    next: "The set-up failed, not the container's command: the node tries again by itself; if a mount in the manifest cannot work, change it there.",
  },
  {
    name: "a volume that cannot be mounted",
    pod: { status: waits("ContainerCreating") },
    facts: {
      events: [
        warned(
          "FailedMount",
          'MountVolume.SetUp failed for volume "v" : hostPath type check failed: /nope is not a directory',
        ),
      ],
    },
    cause: "Volume v cannot be mounted: hostPath type check failed: /nope is not a directory.",
    next: "Create that path, or change the hostPath in its manifest and apply it again.",
  },
  {
    name: "a Secret that is missing",
    pod: { status: waits("ContainerCreating") },
    facts: { events: [warned("FailedMount", 'MountVolume.SetUp failed for volume "v" : secret "gone" not found')] },
    cause: "Secret gone is missing, and the pod needs it.",
    next: "Apply a Secret of this name in namespace default, or mark it as optional; the pod then starts by itself.",
  },
  {
    name: "a key that is missing",
    pod: { status: waits("CreateContainerConfigError", "couldn't find key b in ConfigMap default/there") },
    cause: "ConfigMap default/there has no key b, and the pod needs it.",
    next: "Add the key to the ConfigMap, or name another key in its manifest and apply it again.",
  },
  {
    name: "node pressure at admission",
    pod: { status: failed("Evicted", "Pod was rejected: The node had condition: [DiskPressure]. ") },
    facts: {
      decisions: [
        decided(
          [{ candidate: "nodefs.available", verdict: "crossed", why: "12Gi of 252Gi, with the threshold of 10%" }],
          {
            strategy: "pressure",
          },
        ),
      ],
    },
    cause: "The node has DiskPressure: nodefs.available is 12Gi of 252Gi, with the threshold of 10%.",
    next: "Free some of it, or lower the threshold in the rc file (node.evictionHard: nodefs.available), then hooklet delete pod web and apply it again.",
  },
  {
    name: "an eviction",
    pod: {
      status: failed("Evicted", "The node was low on resource: memory. Threshold quantity: 100Mi, available: 50Mi. "),
    },
    cause: "The pod was evicted: The node was low on resource: memory. Threshold quantity: 100Mi, available: 50Mi.",
    next: "Free some of it, raise the pod's request or its priority, then hooklet delete pod web and apply it again.",
  },
  {
    name: "a node of another kind",
    pod: {
      spec: spec({}, { nodeSelector: { disktype: "gold" } }),
      status: failed("NodeAffinity", "Predicate NodeAffinity failed"),
    },
    cause: "The node's labels do not match the pod's nodeSelector disktype=gold.",
    next: "Add the label to the node (rc file: node.labels) or change the pod, then hooklet delete pod web and apply it again.",
  },
  {
    name: "a host port that a pod has",
    pod: {
      spec: spec({ ports: [{ containerPort: 80, hostPort: 8080 }] }),
      status: failed("NodePorts", "Predicate NodePorts failed"),
    },
    facts: { pods: [aPod("other", { spec: spec({ ports: [{ containerPort: 80, hostPort: 8080 }] }) })] },
    cause: "Host port 8080 is in use by pod default/other.",
    next: "Choose another hostPort or delete that pod, then hooklet delete pod web and apply it again.",
  },
  {
    name: "a deadline",
    pod: {
      spec: spec({}, { activeDeadlineSeconds: 2 }),
      status: failed("DeadlineExceeded", "Pod was active on the node longer"),
    },
    cause: "The pod ran longer than its activeDeadlineSeconds (2 s), so it was stopped.",
    next: "Raise activeDeadlineSeconds or make the work shorter, then hooklet delete pod web and apply it again.",
  },
  {
    name: "a rule of a plugin",
    pod: { status: failed("ImageNotPinned", "Pod was rejected: container a uses web:latest") },
    facts: {
      decisions: [decided([{ candidate: "no-latest", verdict: "ImageNotPinned", why: "container a uses web:latest" }])],
    },
    cause: "Plugin no-latest refused the pod (ImageNotPinned): container a uses web:latest.",
    next: "Change what it was refused for, then hooklet delete pod web and apply it again.",
  },
  {
    name: "an init container that fails",
    pod: {
      spec: spec({}, { initContainers: [{ name: "prep", image: "host" }] }),
      status: {
        ...NOT_READY,
        initContainerStatuses: [container({ terminated: { exitCode: 2, reason: "Error" } }, {}, "prep")],
        containerStatuses: [container({ waiting: { reason: "PodInitializing" } })],
      },
    },
    cause: "Init container prep ends with exit code 2.",
    next: "It wrote nothing that tells why; read its log with hooklet logs web -c prep.",
  },
  {
    name: "a readiness gate",
    pod: { spec: spec({}, { readinessGates: [{ conditionType: "example.com/lb" }] }), status: NOT_READY },
    cause: "The containers are ready, but the pod's readiness gate example.com/lb is missing.",
    next: "The controller that owns this condition has to set it to True; without one, remove the readinessGates from the manifest.",
  },
  {
    name: "a root user that it may not be",
    pod: { status: waits("CreateContainerConfigError", "container has runAsNonRoot and image will run as root") },
    cause: "Container main must not run as root (runAsNonRoot), but its image would.",
    next: "Set securityContext.runAsUser to a user other than 0 in its manifest and apply it again.",
  },
  {
    name: "a postStart hook that fails",
    pod: { status: crashed({ exitCode: 143 }) },
    facts: { events: [warned("FailedPostStartHook", "PostStartHook failed")] },
    cause: "The postStart hook of container main failed, so the container was stopped.",
    next: "Correct lifecycle.postStart in its manifest and apply it again.",
  },
];

function factsOf({ pod, facts: { log = [], ...facts } = {} }: Broken): CauseFacts {
  const own: Pod = aPod("web", pod);
  return { pod: own, events: [], decisions: [], pods: [own], logs: new Map([["main", log]]), ...facts };
}

describe("the first two lines of explain name cause and next step of", () => {
  test.each(BROKEN)("$name", (broken) =>
    expect(causeOf(factsOf(broken))).toEqual({ cause: broken.cause, next: broken.next }),
  );
});

test("a pod that is Ready, and one that has done its work, have no cause", () => {
  const of = (status: object) => causeOf(factsOf({ name: "", pod: { status }, cause: "", next: "" }));
  expect(of({})).toBeUndefined();
  expect(of({ phase: "Succeeded", ...NOT_READY })).toBeUndefined();
});

test("a probe or a hook of an earlier run does not explain this run's end", () => {
  const events = [{ ...warned("FailedPostStartHook", "PostStartHook failed"), lastTimestamp: "2026-11-21T09:00:00Z" }];
  const facts = factsOf({
    name: "",
    pod: { status: crashed() },
    facts: { events, log: ["no disk"] },
    cause: "",
    next: "",
  });
  expect(causeOf(facts)?.cause).toBe("Container main ends with exit code 1: no disk.");
});
