/** What the kubelet hands to CreateContainer, before any plugin adds to it. Pure. */
import path from "node:path";
import type { Container, Pod } from "@hooklet/manifest";
import { goChecksum } from "../../lib/go-checksum.js";
import {
  Annotations,
  type ContainerConfig,
  type Image,
  Labels,
  type Mount,
  type StringMap,
} from "../../runtime/port.js";
import { expand } from "./expand.js";
import { containerSecurity } from "./security.js";

export interface ContainerFacts {
  readonly attempt: number;
  readonly image: Image;
  readonly env: ReadonlyMap<string, string>;
  readonly mounts: readonly Mount[];
  /** Id of the container whose processes this one sees. */
  readonly target?: string;
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
    linux: { resources: {}, securityContext: containerSecurity(pod, container, facts.target) },
  };
}

function imageUser({ uid, username }: Image): { readonly uid?: number; readonly username?: string } {
  return { ...(uid === undefined ? {} : { uid }), ...(username === undefined ? {} : { username }) };
}

/** Relative to the pod's log directory. */
export function containerLogPath(container: string, attempt: number): string {
  return path.join(container, `${attempt}.log`);
}

function containerAnnotations(pod: Pod, container: Container, facts: ContainerFacts): StringMap {
  const grace = pod.spec.terminationGracePeriodSeconds;
  return {
    [Annotations.containerHash]: containerHash(container),
    [Annotations.restartCount]: String(facts.attempt),
    [Annotations.terminationMessagePath]: container.terminationMessagePath ?? "",
    [Annotations.terminationMessagePolicy]: container.terminationMessagePolicy ?? "",
    ...(grace === undefined ? {} : { [Annotations.podTerminationGracePeriod]: String(grace) }),
    ...(container.lifecycle?.preStop === undefined
      ? {}
      : { [Annotations.preStopHandler]: JSON.stringify(container.lifecycle.preStop) }),
    ...((container.ports ?? []).length === 0
      ? {}
      : {
          [Annotations.ports]: JSON.stringify(
            (container.ports ?? []).map(({ name, hostPort, containerPort, protocol, hostIP }) => ({
              name,
              hostPort,
              containerPort,
              protocol,
              hostIP,
            })),
          ),
        }),
  };
}

/**
 * The kubelet's HashContainer: FNV-1a over Go's print of the bytes of `{"image":…,"name":…}`. The same number as a
 * kubelet's, so tools that compare it see no change.
 */
export function containerHash(container: Container): string {
  const json = JSON.stringify({ image: container.image ?? "", name: container.name });
  return goChecksum(`([]uint8)[${[...Buffer.from(json)].join(" ")}]`).toString(16);
}
