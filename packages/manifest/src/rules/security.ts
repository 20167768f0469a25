import type { PodSpec, SeccompProfile, SecurityContext } from "kubernetes-types/core/v1.js";
import type { FieldFaults } from "../field-faults.js";
import { between, MAX_ID } from "../names.js";
import type { FieldPath } from "../path.js";
import { oneOf, type Rule, unique } from "./rule.js";

const SYSCTL = /^[a-z0-9]([-_a-z0-9]*[a-z0-9])?([./][a-z0-9]([-_a-z0-9]*[a-z0-9])?)*$/;
const CAPABILITY = /^(ALL|(CAP_)?[A-Z][A-Z0-9_]*)$/;

type Profile = SeccompProfile;
interface Common {
  readonly runAsUser?: number;
  readonly runAsGroup?: number;
  readonly seccompProfile?: Profile;
  readonly appArmorProfile?: Profile;
}

export const securityContextRule: Rule<SecurityContext> = (context, path, faults) => {
  commonRule(context, path, faults);
  const { allowPrivilegeEscalation, privileged, capabilities } = context;
  for (const kind of ["add", "drop"] as const) {
    capabilities?.[kind]?.forEach((name, i) => {
      if (CAPABILITY.test(name)) return;
      faults.invalid(
        path.child("capabilities").child(kind).index(i),
        name,
        "must be a capability, for example NET_ADMIN",
      );
    });
  }
  if (allowPrivilegeEscalation !== false) return;
  const at = path.child("allowPrivilegeEscalation");
  if (privileged) {
    faults.invalid(at, false, "cannot set `allowPrivilegeEscalation` to false and `privileged` to true");
  }
  if (capabilities?.add?.some((name) => name === "CAP_SYS_ADMIN" || name === "SYS_ADMIN")) {
    faults.invalid(at, false, "cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN");
  }
};

export const podSecurityRule: Rule<PodSpec> = (spec, path, faults) => {
  if (spec.hostPID && spec.shareProcessNamespace) {
    const text = "ShareProcessNamespace and HostPID cannot both be enabled";
    faults.invalid(path.child("shareProcessNamespace"), true, text);
  }
  const context = spec.securityContext;
  if (context === undefined) return;
  const at = path.child("securityContext");
  commonRule(context as Common, at, faults);
  if (context.fsGroup !== undefined)
    faults.each(at.child("fsGroup"), context.fsGroup, between(context.fsGroup, 0, MAX_ID));
  context.supplementalGroups?.forEach((group, i) => {
    faults.each(at.child("supplementalGroups").index(i), group, between(group, 0, MAX_ID));
  });
  if (context.fsGroupChangePolicy !== undefined) {
    oneOf(context.fsGroupChangePolicy, ["Always", "OnRootMismatch"], at.child("fsGroupChangePolicy"), faults);
  }
  const names = new Set<string>();
  context.sysctls?.forEach(({ name = "" }, i) => {
    const sysctl = at.child("sysctls").index(i).child("name");
    if (name === "") faults.required(sysctl);
    else sysctlRule(name, spec, sysctl, faults);
    unique(names, name, sysctl, faults);
  });
};

function sysctlRule(name: string, spec: PodSpec, path: FieldPath, faults: FieldFaults): void {
  if (name.length > 253 || !SYSCTL.test(name)) {
    const text = "must have at most 253 characters and be a sysctl, for example net.core.somaxconn";
    faults.invalid(path, name, text);
    return;
  }
  const dotted = name.replaceAll("/", ".");
  if (spec.hostNetwork && dotted.startsWith("net.")) {
    faults.invalid(path, name, "may not be specified when 'hostNetwork' is true");
  }
  if (spec.hostIPC && /^(kernel\.(shm|msg|sem)|fs\.mqueue\.)/.test(dotted)) {
    faults.invalid(path, name, "may not be specified when 'hostIPC' is true");
  }
}

function commonRule(context: Common, path: FieldPath, faults: FieldFaults): void {
  for (const name of ["runAsUser", "runAsGroup"] as const) {
    const id = context[name];
    if (id !== undefined) faults.each(path.child(name), id, between(id, 0, MAX_ID));
  }
  for (const [name, what] of [
    ["seccompProfile", "seccomp"],
    ["appArmorProfile", "AppArmor"],
  ] as const) {
    const profile = context[name];
    if (profile !== undefined) profileRule(profile, what, path.child(name), faults);
  }
}

function profileRule(profile: Profile, what: string, path: FieldPath, faults: FieldFaults): void {
  const { type = "", localhostProfile } = profile;
  oneOf(type, ["Localhost", "RuntimeDefault", "Unconfined"], path.child("type"), faults);
  const at = path.child("localhostProfile");
  if (type !== "Localhost") {
    if (localhostProfile !== undefined) {
      faults.invalid(at, localhostProfile, `can only be set when ${what} type is Localhost`);
    }
  } else if (!localhostProfile) faults.required(at, `must be set when ${what} type is Localhost`);
  else if (localhostProfile.startsWith("/")) faults.invalid(at, localhostProfile, "must be a relative path");
  else if (localhostProfile.split("/").includes("..")) faults.invalid(at, localhostProfile, "must not contain '..'");
}
