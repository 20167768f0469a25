import type { Container, Volume, VolumeMount } from "kubernetes-types/core/v1.js";
import type { FieldFaults } from "../field-faults.js";
import { dns1123Label } from "../names.js";
import type { FieldPath } from "../path.js";
import { providedVolumes } from "../provided.js";
import { compare, parseQuantity, zeroQuantity } from "../resources/quantity.js";
import { providedRule } from "./provided-volumes.js";
import { absolutePath, oneOf, type Rule, unique } from "./rule.js";

const HOST_PATH_TYPES = [
  "BlockDevice",
  "CharDevice",
  "Directory",
  "DirectoryOrCreate",
  "File",
  "FileOrCreate",
  "Socket",
];

export const volumesRule: Rule<readonly Volume[]> = (volumes, path, faults) => {
  const names = new Set<string>();
  volumes.forEach((volume, i) => {
    const at = path.index(i);
    if (!volume.name) faults.required(at.child("name"));
    else faults.each(at.child("name"), volume.name, dns1123Label(volume.name));
    unique(names, volume.name ?? "", at.child("name"), faults);
    sourceRule(volume, at, faults);
  });
};

const KINDS = ["emptyDir", "hostPath", ...providedVolumes] as const;

function sourceRule(volume: Volume, path: FieldPath, faults: FieldFaults): void {
  const { emptyDir, hostPath } = volume;
  const [, ...further] = KINDS.filter((kind) => volume[kind] !== undefined);
  for (const kind of further) faults.forbidden(path.child(kind), "may not specify more than 1 volume type");
  providedRule(volume, path, faults);
  if (emptyDir !== undefined) {
    const { sizeLimit, medium = "" } = emptyDir;
    if (sizeLimit !== undefined && compare(parseQuantity(sizeLimit), zeroQuantity) < 0) {
      faults.forbidden(path.child("emptyDir").child("sizeLimit"), "SizeLimit field must be a valid resource quantity");
    }
    if (medium !== "") oneOf(medium, ["", "Memory"], path.child("emptyDir").child("medium"), faults);
  }
  if (hostPath !== undefined) {
    const at = path.child("hostPath");
    if (!hostPath.path) faults.required(at.child("path"));
    else absolutePath(hostPath.path, at.child("path"), faults);
    if (hostPath.type) oneOf(hostPath.type, HOST_PATH_TYPES, at.child("type"), faults);
  }
}

export function mountsRule(volumes: ReadonlySet<string>, container: Container): Rule<readonly VolumeMount[]> {
  return (mounts, path, faults) => {
    const paths = new Set<string>();
    mounts.forEach((mount, i) => {
      const { name, mountPath, mountPropagation, subPath, subPathExpr } = mount;
      const at = path.index(i);
      if (!name) faults.required(at.child("name"));
      else if (!volumes.has(name)) faults.notFound(at.child("name"), name);
      mountPathRule(mountPath ?? "", paths, at.child("mountPath"), faults);
      subPathRule(subPath ?? "", at.child("subPath"), faults);
      subPathRule(subPathExpr ?? "", at.child("subPathExpr"), faults);
      if (subPath && subPathExpr) {
        faults.invalid(at.child("subPathExpr"), subPathExpr, "subPathExpr and subPath are mutually exclusive");
      }
      recursiveRule(mount, at, faults);
      if (mountPropagation === undefined) return;
      const propagation = at.child("mountPropagation");
      oneOf(mountPropagation, ["Bidirectional", "HostToContainer", "None"], propagation, faults);
      if (mountPropagation === "Bidirectional" && container.securityContext?.privileged !== true) {
        faults.forbidden(propagation, "Bidirectional mount propagation is available only to privileged containers");
      }
    });
  };
}

function recursiveRule(
  { recursiveReadOnly: mode, readOnly, mountPropagation = "None" }: VolumeMount,
  path: FieldPath,
  faults: FieldFaults,
): void {
  if (mode === undefined) return;
  const at = path.child("recursiveReadOnly");
  oneOf(mode, ["Disabled", "Enabled", "IfPossible"], at, faults);
  if (mode !== "Enabled" && mode !== "IfPossible") return;
  if (readOnly !== true) faults.forbidden(at, "may only be specified when readOnly is true");
  if (mountPropagation !== "None") {
    faults.forbidden(at, "may only be specified when mountPropagation is None or not specified");
  }
}

function subPathRule(value: string, path: FieldPath, faults: FieldFaults): void {
  if (value.startsWith("/")) faults.invalid(path, value, "must be a relative path");
  if (value.split("/").includes("..")) faults.invalid(path, value, "must not contain '..'");
}

function mountPathRule(mountPath: string, taken: Set<string>, path: FieldPath, faults: FieldFaults): void {
  if (mountPath === "") {
    faults.required(path);
    return;
  }
  absolutePath(mountPath, path, faults);
  if (mountPath.includes(":")) faults.invalid(path, mountPath, "must not contain ':'");
  // `/data` and `/data/` are one place.
  const place = `/${mountPath
    .split("/")
    .filter((part) => part !== "" && part !== ".")
    .join("/")}`;
  if (taken.has(place)) faults.invalid(path, mountPath, "must be unique");
  taken.add(place);
}
