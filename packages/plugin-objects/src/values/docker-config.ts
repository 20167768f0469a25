/** Credentials in Secrets, as docker writes them. Pure. */

import { loginsIn, type RegistryLogin } from "@hooklet/core/rules";
import { isRecord } from "@hooklet/core/subsystem";
import type { Secret } from "kubernetes-types/core/v1.js";

/** Of a Secret of type dockerconfigjson or dockercfg; none of any other. @throws Error for what is no JSON of this form */
export function loginsOf({ type, data = {} }: Secret): readonly RegistryLogin[] {
  if (type === "kubernetes.io/dockerconfigjson") {
    const config = parsed(data[".dockerconfigjson"]);
    return loginsIn(isRecord(config) ? config.auths : undefined);
  }
  return type === "kubernetes.io/dockercfg" ? loginsIn(parsed(data[".dockercfg"])) : [];
}

function parsed(base64: string | undefined): unknown {
  if (base64 === undefined) return undefined;
  try {
    return JSON.parse(Buffer.from(base64, "base64").toString("utf8"));
  } catch {
    // The text itself is a secret.
    throw new Error("its credentials are no JSON");
  }
}
