/** Volumes that plugins fill. */
import type { KeyToPath, Volume, VolumeProjection } from "kubernetes-types/core/v1.js";
import type { FieldFaults } from "../field-faults.js";
import { dns1123Subdomain } from "../names.js";
import type { FieldPath } from "../path.js";

const MODES = "must be a number between 0 and 0777 (octal), both inclusive";

export function providedRule(volume: Volume, path: FieldPath, faults: FieldFaults): void {
  const { configMap, secret, projected, downwardAPI, persistentVolumeClaim, csi, ephemeral } = volume;
  if (configMap) filesRule(configMap, "name", path.child("configMap"), faults);
  if (secret) filesRule({ ...secret, name: secret.secretName }, "secretName", path.child("secret"), faults);
  if (projected) {
    const at = path.child("projected");
    modeRule(projected.defaultMode, at.child("defaultMode"), faults);
    projected.sources?.forEach((source, i) => {
      projectionRule(source, at.child("sources").index(i), faults);
    });
  }
  if (downwardAPI) {
    const at = path.child("downwardAPI");
    modeRule(downwardAPI.defaultMode, at.child("defaultMode"), faults);
    downwardRule(downwardAPI, at, faults);
  }
  if (persistentVolumeClaim && !persistentVolumeClaim.claimName) {
    faults.required(path.child("persistentVolumeClaim").child("claimName"));
  }
  if (csi && !csi.driver) faults.required(path.child("csi").child("driver"));
  if (ephemeral && !ephemeral.volumeClaimTemplate)
    faults.required(path.child("ephemeral").child("volumeClaimTemplate"));
}

interface Files {
  readonly name?: string | undefined;
  readonly items?: readonly KeyToPath[];
  readonly defaultMode?: number;
}

function filesRule({ name, items, defaultMode }: Files, field: string, path: FieldPath, faults: FieldFaults): void {
  if (!name) faults.required(path.child(field));
  else faults.each(path.child(field), name, dns1123Subdomain(name));
  modeRule(defaultMode, path.child("defaultMode"), faults);
  items?.forEach(({ key, path: file, mode }, i) => {
    const at = path.child("items").index(i);
    if (!key) faults.required(at.child("key"));
    fileRule(file, at.child("path"), faults);
    modeRule(mode, at.child("mode"), faults);
  });
}

function projectionRule(source: VolumeProjection, path: FieldPath, faults: FieldFaults): void {
  const { configMap, secret, downwardAPI, serviceAccountToken } = source;
  const given = Object.keys(source);
  if (given.length === 0) faults.required(path);
  if (given.length > 1) faults.forbidden(path, "may not specify more than 1 volume type per source");
  if (configMap) filesRule(configMap, "name", path.child("configMap"), faults);
  if (secret) filesRule(secret, "name", path.child("secret"), faults);
  if (downwardAPI) downwardRule(downwardAPI, path.child("downwardAPI"), faults);
  if (serviceAccountToken) {
    const at = path.child("serviceAccountToken");
    fileRule(serviceAccountToken.path, at.child("path"), faults);
    const seconds = serviceAccountToken.expirationSeconds ?? 3600;
    if (seconds < 600)
      faults.invalid(at.child("expirationSeconds"), seconds, "may not specify a duration less than 10 minutes");
  }
}

type Downward = Pick<NonNullable<Volume["downwardAPI"]>, "items">;

function downwardRule({ items }: Downward, path: FieldPath, faults: FieldFaults): void {
  items?.forEach(({ path: file, fieldRef, resourceFieldRef, mode }, i) => {
    const at = path.child("items").index(i);
    fileRule(file, at.child("path"), faults);
    modeRule(mode, at.child("mode"), faults);
    if (fieldRef && resourceFieldRef)
      faults.invalid(at, "resource", "fieldRef and resourceFieldRef can not be specified simultaneously");
    else if (!fieldRef && !resourceFieldRef) faults.required(at.child("fieldRef"));
  });
}

function modeRule(mode: number | undefined, path: FieldPath, faults: FieldFaults): void {
  if (mode !== undefined && (mode < 0 || mode > 0o777)) faults.invalid(path, mode, MODES);
}

function fileRule(file: string | undefined, path: FieldPath, faults: FieldFaults): void {
  if (!file) faults.required(path);
  else if (file.startsWith("/")) faults.invalid(path, file, "must be a relative path");
  else if (file.split("/").includes("..")) faults.invalid(path, file, "must not contain '..'");
  else if (file.startsWith("..")) faults.invalid(path, file, "must not start with '..'");
}
