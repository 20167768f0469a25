/** What a container asks for and this runtime takes without doing it: the pod is told by an event. Pure. */
import type { ContainerConfig } from "@hooklet/core/host";

export function unenforced({ linux }: Pick<ContainerConfig, "linux">, hasCgroups: boolean): readonly string[] {
  const { securityContext, resources } = linux;
  const found: string[] = [];
  if (securityContext.seccomp.profileType === "RuntimeDefault") {
    found.push("seccompProfile RuntimeDefault is not applied: the process runtime has no filter of system calls");
  }
  if (securityContext.apparmor?.profileType === "RuntimeDefault") {
    found.push("appArmorProfile RuntimeDefault is not applied: the process runtime has no AppArmor profile");
  }
  const isLimited = (resources.memoryLimitInBytes ?? 0) > 0 || (resources.cpuQuota ?? 0) > 0;
  if (isLimited && !hasCgroups) found.push("limits of cpu and memory are not enforced: cgroups cannot be written here");
  return found;
}
