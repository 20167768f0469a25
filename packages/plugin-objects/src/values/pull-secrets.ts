/** Credentials from a pod's imagePullSecrets. A missing secret is reported, and the pull is tried anyway. */
import { errorText, type NodeContext, namespacedName } from "@hooklet/core";
import { loginsFor, type RegistryLogin } from "@hooklet/core/rules";
import type { CredentialProvider, PullCredentials } from "@hooklet/core/subsystem";
import { loginsOf } from "./docker-config.js";

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
