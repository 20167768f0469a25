/** Credentials from a pod's imagePullSecrets. A missing secret is reported, and the pull is tried anyway. */

import { errorText, type NodeContext, namespacedName } from "@hooklet/core";
import { loginsFor, loginsIn, type RegistryLogin } from "@hooklet/core/rules";
import { type CredentialProvider, isRecord, type PullCredentials } from "@hooklet/core/subsystem";
import type { Secret } from "kubernetes-types/core/v1.js";

export function pullSecrets({
  objects,
  events,
  log,
}: Pick<NodeContext, "objects" | "events" | "log">): CredentialProvider {
  return {
    async credentials(pod, image, signal): Promise<readonly PullCredentials[]> {
      const names = [...new Set((pod.spec.imagePullSecrets ?? []).flatMap(({ name }) => name || []))];
      if (names.length === 0) return [];
      const source = objects.of(pod);
      const { namespace } = pod.metadata;
      const missing: string[] = [];
      const read = async (name: string): Promise<readonly RegistryLogin[]> => {
        try {
          const secret = await source.read("Secret", { namespace, name }, signal);
          if (secret !== undefined) return loginsOf(secret);
        } catch (error) {
          log.warn(`pull secret ${namespacedName({ namespace, name })}: ${errorText(error)}`);
        }
        missing.push(name);
        return [];
      };
      const logins = (await Promise.all(names.map(read))).flat();
      if (missing.length > 0) {
        const text = `Unable to retrieve some image pull secrets (${missing.sort().join(", ")}); attempting to pull the image may not succeed.`;
        events.pod(pod, "Warning", "FailedToRetrieveImagePullSecret", text);
      }
      return loginsFor(logins, image).map(({ place: _, ...login }) => login);
    },
  };
}

// Credentials in Secrets, as docker writes them.

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
