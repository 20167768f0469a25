/** Security contexts as the kubelet hands them to the runtime. Pure. */

import type { ContainerSecurityContext, Image, NamespaceMode, SecurityProfile } from "@hooklet/cri-api";
import { type Container, type Pod, podText } from "@hooklet/manifest";
import type { SeccompProfile, SecurityContext } from "kubernetes-types/core/v1.js";
import { ContainerConfigError } from "./env.js";

/** containerd's and the kubelet's default lists of paths under /proc and /sys. */
const MASKED_PATHS = [
  "/proc/asound",
  "/proc/acpi",
  "/proc/interrupts",
  "/proc/kcore",
  "/proc/keys",
  "/proc/latency_stats",
  "/proc/timer_list",
  "/proc/timer_stats",
  "/proc/sched_debug",
  "/proc/scsi",
  "/sys/firmware",
  "/sys/devices/virtual/powercap",
];
const READONLY_PATHS = ["/proc/bus", "/proc/fs", "/proc/irq", "/proc/sys", "/proc/sysrq-trigger"];

export function podNamespaces(pod: Pod): { network: NamespaceMode; pid: NamespaceMode; ipc: NamespaceMode } {
  return {
    network: pod.spec.hostNetwork === true ? "NODE" : "POD",
    pid: pod.spec.hostPID === true ? "NODE" : pod.spec.shareProcessNamespace === true ? "POD" : "CONTAINER",
    ipc: pod.spec.hostIPC === true ? "NODE" : "POD",
  };
}

/** fsGroup counts as a supplemental group, as in the kubelet. */
export function supplementalGroups(pod: Pod): readonly number[] {
  const context = pod.spec.securityContext;
  const groups = [...(context?.fsGroup === undefined ? [] : [context.fsGroup]), ...(context?.supplementalGroups ?? [])];
  return [...new Set(groups)];
}

export interface SecurityFacts {
  /** Id of the container whose processes this one sees. */
  readonly target?: string;
  /** Containers that name no seccomp profile get RuntimeDefault. */
  readonly seccompDefault?: boolean;
}

export function containerSecurity(
  pod: Pod,
  container: Container,
  { target, seccompDefault = false }: SecurityFacts = {},
): ContainerSecurityContext {
  const podContext = pod.spec.securityContext;
  const own: SecurityContext = container.securityContext ?? {};
  const runAsUser = own.runAsUser ?? podContext?.runAsUser;
  const runAsGroup = own.runAsGroup ?? podContext?.runAsGroup;
  const unmasked = own.privileged === true || own.procMount === "Unmasked";
  const apparmor = own.appArmorProfile ?? podContext?.appArmorProfile;
  return {
    capabilities: { add: own.capabilities?.add ?? [], drop: own.capabilities?.drop ?? [] },
    privileged: own.privileged === true,
    namespaces: { ...podNamespaces(pod), ...(target !== undefined && { pid: "TARGET" as const, targetId: target }) },
    ...(runAsUser === undefined ? {} : { runAsUser }),
    ...((own.runAsNonRoot ?? podContext?.runAsNonRoot) === true && { runAsNonRoot: true }),
    ...(runAsGroup === undefined ? {} : { runAsGroup }),
    supplementalGroups: supplementalGroups(pod),
    readonlyRootfs: own.readOnlyRootFilesystem === true,
    noNewPrivs: own.allowPrivilegeEscalation === false,
    maskedPaths: unmasked ? [] : MASKED_PATHS,
    readonlyPaths: unmasked ? [] : READONLY_PATHS,
    seccomp:
      own.privileged === true
        ? unconfined
        : profile(seccompOf(own, podContext) ?? (seccompDefault ? usual : undefined)),
    ...(apparmor === undefined ? {} : { apparmor: profile(apparmor) }),
  };
}

function seccompOf(own: SecurityContext, ofPod: Pod["spec"]["securityContext"]): SeccompProfile | undefined {
  return own.seccompProfile ?? ofPod?.seccompProfile ?? undefined;
}

const usual: SeccompProfile = { type: "RuntimeDefault" };
const unconfined: SecurityProfile = { profileType: "Unconfined", localhostRef: "" };

/** No profile is Unconfined: the kubelet's default while seccompDefault is off. */
export function profile(given: SeccompProfile | undefined): SecurityProfile {
  if (given === undefined) return unconfined;
  return { profileType: given.type as SecurityProfile["profileType"], localhostRef: given.localhostProfile ?? "" };
}

// Checks runAsNonRoot against the image's user (the kubelet's verifyRunAsNonRoot).

/** @throws ContainerConfigError when the container would run as root, or that cannot be decided */
export function verifyRunAsNonRoot(pod: Pod, container: Container, image: Image): void {
  const own = container.securityContext;
  const nonRoot = own?.runAsNonRoot ?? pod.spec.securityContext?.runAsNonRoot;
  if (nonRoot !== true) return;
  const where = `(pod: ${JSON.stringify(podText(pod))}, container: ${container.name})`;
  const runAsUser = own?.runAsUser ?? pod.spec.securityContext?.runAsUser;
  if (runAsUser !== undefined) {
    if (runAsUser === 0) throw new ContainerConfigError(`container's runAsUser breaks non-root policy ${where}`);
    return;
  }
  if (image.uid === undefined && image.username) {
    throw new ContainerConfigError(
      `container has runAsNonRoot and image has non-numeric user (${image.username}), cannot verify user is non-root ${where}`,
    );
  }
  if ((image.uid ?? 0) === 0) {
    throw new ContainerConfigError(`container has runAsNonRoot and image will run as root ${where}`);
  }
}
