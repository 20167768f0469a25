/** What the kubelet hands to RunPodSandbox. Pure. */
import path from "node:path";
import { Labels, type PortMapping, type SandboxConfig, type StringMap } from "@hooklet/cri-api";
import { pathSegment } from "@hooklet/linux";
import { initContainers, isSidecar, mainContainers, type Pod } from "@hooklet/manifest";
import type { SandboxPlanResult } from "../../plan/sandbox-builder.js";
import { HOLDS_ANNOTATION, holdsText, ROOT_DIR_ANNOTATION, SOURCE_ANNOTATION } from "../holds.js";
import type { PodDns } from "./dns.js";
import { podKernelName } from "./hostname.js";
import { podNamespaces, supplementalGroups } from "./security.js";

export interface SandboxFacts {
  readonly attempt: number;
  readonly podLogsDir: string;
  /** The agent's. */
  readonly rootDir: string;
  readonly clusterDomain: string;
  /** Name of the source that wants the pod. */
  readonly source: string | undefined;
  readonly dns: PodDns["dns"];
  /** What plugins add. */
  readonly plan: SandboxPlanResult;
}

export function podLogDirectory(podLogsDir: string, pod: Pod): string {
  const { namespace, name, uid } = pod.metadata;
  return path.join(podLogsDir, pathSegment(`${namespace}_${name}_${uid}`));
}

export function sandboxConfig(pod: Pod, facts: SandboxFacts): SandboxConfig {
  const { name, namespace, uid } = pod.metadata;
  const context = pod.spec.securityContext;
  const { cgroupParent, resources, overhead } = facts.plan;
  return {
    metadata: { name, namespace, uid, attempt: facts.attempt },
    hostname: pod.spec.hostNetwork === true ? "" : podKernelName(pod, facts.clusterDomain),
    logDirectory: podLogDirectory(facts.podLogsDir, pod),
    labels: {
      ...pod.metadata.labels,
      [Labels.podName]: name,
      [Labels.podNamespace]: namespace,
      [Labels.podUid]: uid,
    },
    annotations: noted({ ...pod.metadata.annotations, ...facts.plan.annotations }, pod, facts),
    portMappings: portMappings(pod),
    dns: facts.dns,
    linux: {
      cgroupParent,
      ...(resources !== undefined && { resources }),
      ...(overhead !== undefined && { overhead }),
      sysctls: Object.fromEntries((context?.sysctls ?? []).map((sysctl) => [sysctl.name, sysctl.value])),
      securityContext: {
        namespaces: podNamespaces(pod),
        ...(context?.runAsUser === undefined ? {} : { runAsUser: context.runAsUser }),
        ...(context?.runAsGroup === undefined ? {} : { runAsGroup: context.runAsGroup }),
        supplementalGroups: supplementalGroups(pod),
        readonlyRootfs: false,
        privileged: [...initContainers(pod), ...mainContainers(pod)].some(
          (container) => container.securityContext?.privileged === true,
        ),
        // As in the kubelet: the sandbox itself needs no more, whatever its containers use.
        seccomp: { profileType: "RuntimeDefault", localhostRef: "" },
      },
    },
    runtimeHandler: facts.plan.runtimeHandler ?? pod.spec.runtimeClassName ?? "",
  };
}

/** The notes are the agent's own: what a manifest has under their names is not taken over. */
function noted(
  { [HOLDS_ANNOTATION]: _, [SOURCE_ANNOTATION]: __, ...annotations }: StringMap,
  pod: Pod,
  { source, rootDir }: Pick<SandboxFacts, "source" | "rootDir">,
): StringMap {
  const holds = holdsText(pod);
  return {
    ...annotations,
    ...(source === undefined ? {} : { [SOURCE_ANNOTATION]: source }),
    ...(holds === undefined ? {} : { [HOLDS_ANNOTATION]: holds }),
    [ROOT_DIR_ANNOTATION]: rootDir,
  };
}

/** Every declared port; on the host network none. Init containers have no ports but sidecars. */
function portMappings(pod: Pod): readonly PortMapping[] {
  if (pod.spec.hostNetwork === true) return [];
  return [...initContainers(pod).filter(isSidecar), ...mainContainers(pod)].flatMap((container) =>
    (container.ports ?? []).map((port) => ({
      protocol: (port.protocol ?? "TCP") as PortMapping["protocol"],
      containerPort: port.containerPort,
      hostPort: port.hostPort ?? 0,
      hostIp: port.hostIP ?? "",
    })),
  );
}
