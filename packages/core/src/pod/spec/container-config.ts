/** What the kubelet hands to CreateContainer, before any plugin adds to it. Pure. */

import path from "node:path";
import { Annotations, type ContainerConfig, type Image, Labels, type Mount, type StringMap } from "@hooklet/cri-api";
import { pathSegment } from "@hooklet/linux";
import type { Container, Pod } from "@hooklet/manifest";
import { expand } from "./env.js";
import { containerSecurity, type SecurityFacts } from "./security.js";

interface ContainerFacts extends SecurityFacts {
  readonly attempt: number;
  readonly image: Image;
  readonly env: ReadonlyMap<string, string>;
  readonly mounts: readonly Mount[];
}

export function containerConfig(pod: Pod, container: Container, facts: ContainerFacts): ContainerConfig {
  const expanded = (text: string): string => expand(text, (name) => facts.env.get(name));
  return {
    metadata: { name: container.name, attempt: facts.attempt },
    image: { image: facts.image.id, userSpecifiedImage: container.image ?? "", ...imageUser(facts.image) },
    command: (container.command ?? []).map(expanded),
    args: (container.args ?? []).map(expanded),
    workingDir: container.workingDir ?? "",
    envs: [...facts.env].map(([key, value]) => ({ key, value })),
    mounts: facts.mounts,
    devices: [],
    cdiDevices: [],
    labels: {
      [Labels.podName]: pod.metadata.name,
      [Labels.podNamespace]: pod.metadata.namespace,
      [Labels.podUid]: pod.metadata.uid,
      [Labels.containerName]: container.name,
    },
    annotations: containerAnnotations(pod, container, facts),
    logPath: containerLogPath(container.name, facts.attempt),
    stdin: container.stdin ?? false,
    stdinOnce: container.stdinOnce ?? false,
    tty: container.tty ?? false,
    linux: { resources: {}, securityContext: containerSecurity(pod, container, facts) },
  };
}

function imageUser({ uid, username }: Image): { readonly uid?: number; readonly username?: string } {
  return { ...(uid === undefined ? {} : { uid }), ...(username === undefined ? {} : { username }) };
}

/** Relative to the pod's log directory. */
export function containerLogPath(container: string, attempt: number): string {
  return path.join(pathSegment(container), `${attempt}.log`);
}

function containerAnnotations(pod: Pod, container: Container, facts: ContainerFacts): StringMap {
  const grace = pod.spec.terminationGracePeriodSeconds;
  return {
    [Annotations.containerHash]: containerHash(container),
    [Annotations.restartCount]: String(facts.attempt),
    [Annotations.terminationMessagePath]: (container.terminationMessagePath ?? "").slice(0, MAX_PATH),
    [Annotations.terminationMessagePolicy]: container.terminationMessagePolicy ?? "",
    ...(grace === undefined ? {} : { [Annotations.podTerminationGracePeriod]: String(grace) }),
    ...Object.fromEntries(
      notes(container).flatMap(({ annotation, text }) => (isTooLong(text) ? [] : [[annotation, text]])),
    ),
  };
}

interface Note {
  readonly annotation: string;
  readonly text: string;
  /** The part of the container that is noted, and what an agent cannot do without the note. */
  readonly what: string;
  readonly cost: string;
}

/** What a restarted agent, or another program, reads of a container whose manifest is gone. */
function notes({ lifecycle, ports = [] }: Container): readonly Note[] {
  const hook = lifecycle?.preStop;
  const numbers = ports.map(({ name, hostPort, containerPort, protocol, hostIP }) => ({
    name,
    hostPort,
    containerPort,
    protocol,
    hostIP,
  }));
  return [
    ...(hook === undefined
      ? []
      : [
          {
            annotation: Annotations.preStopHandler,
            text: JSON.stringify(hook),
            what: "preStop hook",
            cost: "if the manifest is gone when hooklet restarts, hooklet stops the container without the hook",
          },
        ]),
    ...(ports.length === 0
      ? []
      : [
          {
            annotation: Annotations.ports,
            text: JSON.stringify(numbers),
            what: "list of ports",
            cost: `programs that read the annotation ${Annotations.ports} do not see the ports`,
          },
        ]),
  ];
}

/** The runtime answers with all annotations in each of its lists, and these are bounded. */
const isTooLong = (text: string): boolean => Buffer.byteLength(text) > MAX_NOTE;

/** A sentence for each part of the container that is too long for an annotation. */
export function tooLongToNote(container: Container): readonly string[] {
  return notes(container)
    .filter(({ text }) => isTooLong(text))
    .map(
      ({ text, what, cost }) =>
        `the ${what} has ${Buffer.byteLength(text)} bytes, and hooklet notes at most ${MAX_NOTE} on a container: ${cost}. Make it shorter`,
    );
}

/** Bytes. */
const MAX_NOTE = 16 * 1024;
/** Of paths on Linux. */
const MAX_PATH = 4096;

/**
 * The kubelet's HashContainer: FNV-1a over Go's print of the bytes of `{"image":…,"name":…}`. The same number as a
 * kubelet's, so tools that compare it see no change.
 */
export function containerHash(container: Container): string {
  const json = JSON.stringify({ image: container.image ?? "", name: container.name });
  return goChecksum(`([]uint8)[${[...Buffer.from(json)].join(" ")}]`).toString(16);
}

// The checksum of the kubelet's checkpoints and containers (pkg/util/hash DeepHashObject).

/** FNV-1a, 32 bit, over a Go value as the spew package prints it with `%#v`. */
export function goChecksum(printed: string): number {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(printed)) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash >>> 0;
}
