/** Credentials of registries: asked for before a pull, tried in order. */
import { createHash } from "node:crypto";
import type { Pod } from "@hooklet/manifest";
import { type Clock, withDeadline } from "../clock.js";
import { tookTooLong } from "../errors.js";
import type { ProviderRegistry } from "../plugin/providers.js";
import { isRuntimeError } from "../runtime/errors.js";
import type { PullCredentials } from "../runtime/objects.js";

/** Milliseconds that the provider may take. */
const DEADLINE = 30_000;
/** More than any pod names. */
const MAX_TRIED = 100;

export interface CredentialPorts {
  readonly clock: Clock;
  readonly providers?: Pick<ProviderRegistry, "credentials">;
}

/** What is to be tried, most specific first; none: the image is pulled without. */
export async function pullCredentials(
  { clock, providers }: CredentialPorts,
  pod: Pod,
  image: string,
  signal: AbortSignal,
): Promise<readonly PullCredentials[]> {
  const all = providers?.credentials ?? [];
  if (all.length === 0) return [];
  const late = (): Error =>
    tookTooLong("PROVIDER_TIMEOUT", "The provider of credentials", `gave none for image "${image}"`, DEADLINE / 1000);
  const work = Promise.all(all.map(async (provider) => provider.credentials(pod, image, signal)));
  return (await withDeadline(clock, DEADLINE, work, late)).flat().slice(0, MAX_TRIED);
}

/** Pulls of one image are one pull only where they are made for the same runtime handler and with the same rights. */
export function pullKey(image: string, credentials: readonly PullCredentials[], runtimeHandler = ""): string {
  const rights = credentials.length === 0 ? "" : createHash("sha256").update(JSON.stringify(credentials)).digest("hex");
  return [image, runtimeHandler, rights].filter((part) => part !== "").join(" ");
}

/** The first that succeeds; at last what the node itself has. Rejects with what all of them said, joined as the kubelet joins it. */
export async function pullWith<T>(
  credentials: readonly PullCredentials[],
  pull: (credentials: PullCredentials | undefined) => Promise<T>,
): Promise<T> {
  const failures: Error[] = [];
  for (const one of [...credentials, undefined]) {
    try {
      return await pull(one);
    } catch (error) {
      if (isRuntimeError(error, "unavailable")) throw error;
      failures.push(error as Error);
    }
  }
  const [first] = failures;
  if (failures.length === 1) throw first;
  const texts = [...new Set(failures.map(({ message }) => message))];
  throw texts.length === 1 ? first : new AggregateError(failures, `[${texts.join(", ")}]`);
}
