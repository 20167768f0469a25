/** The port's configurations as CRI requests. Pure. */

import type { ContainerConfig, SandboxConfig, SecurityProfile } from "@hooklet/core/host";
import type { LinuxContainerResources } from "@hooklet/core/subsystem";

type Namespaces = SandboxConfig["linux"]["securityContext"]["namespaces"];

export function sandboxRequest(config: SandboxConfig): object {
  const { linux, dns, metadata, hostname, logDirectory, labels, annotations, portMappings } = config;
  const context = linux.securityContext;
  return {
    metadata,
    hostname,
    logDirectory,
    labels,
    annotations,
    portMappings,
    ...(dns === undefined ? {} : { dnsConfig: dns }),
    linux: {
      cgroupParent: linux.cgroupParent,
      sysctls: linux.sysctls,
      overhead: resources(linux.overhead ?? {}),
      resources: resources(linux.resources ?? {}),
      securityContext: {
        namespaceOptions: namespaceOptions(context.namespaces),
        ...number("runAsUser", context.runAsUser),
        ...number("runAsGroup", context.runAsGroup),
        readonlyRootfs: context.readonlyRootfs,
        supplementalGroups: context.supplementalGroups,
        privileged: context.privileged,
        seccomp: context.seccomp,
      },
    },
  };
}

export function containerRequest(config: ContainerConfig): object {
  const { linux, mounts, image, cdiDevices, ...rest } = config;
  const context = linux.securityContext;
  return {
    ...rest,
    image: { image: image.image, userSpecifiedImage: image.userSpecifiedImage },
    mounts: mounts.map((mount) => ({ ...mount, propagation: `PROPAGATION_${mount.propagation}` })),
    CDIDevices: cdiDevices.map((name) => ({ name })),
    linux: {
      resources: resources(linux.resources),
      securityContext: {
        ...capabilities(context.capabilities),
        privileged: context.privileged,
        namespaceOptions: namespaceOptions(context.namespaces),
        ...user(config),
        ...number("runAsGroup", context.runAsGroup),
        readonlyRootfs: context.readonlyRootfs,
        supplementalGroups: context.supplementalGroups,
        noNewPrivs: context.noNewPrivs,
        maskedPaths: context.maskedPaths,
        readonlyPaths: context.readonlyPaths,
        seccomp: context.seccomp,
        ...(context.apparmor === undefined
          ? {}
          : { apparmor: context.apparmor, apparmorProfile: oldProfile(context.apparmor) }),
      },
    },
  };
}

export function resources(given: LinuxContainerResources): object {
  return { ...given };
}

function namespaceOptions(namespaces: Namespaces): object {
  // Without user namespaces the kubelet says so: mode NODE.
  return { ...namespaces, usernsOptions: { mode: "NODE" } };
}

/** As the pod says, else as the image says, else root (the kubelet's determineEffectiveSecurityContext). */
function user({ linux, image }: ContainerConfig): object {
  const { runAsUser, runAsUsername } = linux.securityContext;
  if (runAsUser !== undefined) return number("runAsUser", runAsUser);
  const username = runAsUsername ?? (image.uid === undefined ? image.username : undefined);
  return username === undefined ? number("runAsUser", image.uid ?? 0) : { runAsUsername: username };
}

function capabilities({ add, drop }: ContainerConfig["linux"]["securityContext"]["capabilities"]): object {
  return add.length + drop.length === 0 ? {} : { capabilities: { addCapabilities: add, dropCapabilities: drop } };
}

function number(name: string, value: number | undefined): object {
  return value === undefined ? {} : { [name]: { value } };
}

/** The field that the profile had before CRI gave it a message; the kubelet sends both. */
function oldProfile({ profileType, localhostRef }: SecurityProfile): string {
  if (profileType === "RuntimeDefault") return "runtime/default";
  return profileType === "Unconfined" ? "unconfined" : `localhost/${localhostRef}`;
}
