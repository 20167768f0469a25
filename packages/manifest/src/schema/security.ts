import { flag, int64, list, object, refused, text } from "../shape.js";

const profile = object({ type: text, localhostProfile: text });
const identity = { runAsUser: int64, runAsGroup: int64, runAsNonRoot: flag };
const profiles = {
  seccompProfile: profile,
  appArmorProfile: profile,
  seLinuxOptions: refused(),
  windowsOptions: refused(),
};

export const podSecurityContext = object({
  ...profiles,
  ...identity,
  supplementalGroups: list(int64),
  supplementalGroupsPolicy: refused(undefined, "Merge"),
  fsGroup: int64,
  sysctls: list(object({ name: text, value: text })),
  fsGroupChangePolicy: text,
  seLinuxChangePolicy: refused(undefined, "MountOption", "Recursive"),
});

export const securityContext = object({
  capabilities: object({ add: list(text), drop: list(text) }),
  privileged: flag,
  ...profiles,
  ...identity,
  readOnlyRootFilesystem: flag,
  allowPrivilegeEscalation: flag,
  procMount: refused(undefined, "", "Default"),
});
