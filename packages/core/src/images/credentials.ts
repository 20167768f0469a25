/** Registry credentials: requested before a pull, tried in order. */
import { createHash } from "node:crypto";
import { isRuntimeError, type PullCredentials } from "@hooklet/cri-api";
import type { Pod } from "@hooklet/manifest";
import { type Clock, tookTooLong, withDeadline } from "@hooklet/utils";
import type { ProviderRegistry } from "../plugin/providers.js";

/** Milliseconds that each provider may take. */
const DEADLINE = 30_000;
/** More than any pod names. */
const MAX_TRIED = 100;

export interface CredentialPorts {
  readonly clock: Clock;
  readonly providers?: Pick<ProviderRegistry, "credentials">;
  /** Called for a provider that fails. */
  report(where: string, error: unknown): void;
}

/** What is to be tried, most specific first; none: the image is pulled without. Rejects with the reason of the signal, with nothing else. */
export async function pullCredentials(
  { clock, providers, report }: CredentialPorts,
  pod: Pod,
  image: string,
  signal: AbortSignal,
): Promise<readonly PullCredentials[]> {
  const all = providers?.credentials ?? [];
  if (all.length === 0) return [];
  const asked = all.map(async ({ plugin, provider }) => {
    const given = new AbortController();
    const late = (): Error => {
      const who = `Plugin ${plugin}`;
      const error = tookTooLong("PROVIDER_TIMEOUT", who, `gave no credentials for image "${image}"`, DEADLINE / 1000);
      given.abort(error);
      return error;
    };
    const both = AbortSignal.any([signal, given.signal]);
    try {
      return await withDeadline(clock, DEADLINE, (async () => provider.credentials(pod, image, both))(), late);
    } catch (error) {
      signal.throwIfAborted();
      // Those of the others may fit all the same, and so may none.
      report(`credentials of plugin ${plugin} for image "${image}"`, error);
      return [];
    }
  });
  return (await Promise.all(asked)).flat().slice(0, MAX_TRIED);
}

/** Pulls of one image are one pull only where they are made for the same runtime handler and with the same rights. */
export function pullKey(image: string, credentials: readonly PullCredentials[], runtimeHandler = ""): string {
  const rights = credentials.length === 0 ? "" : createHash("sha256").update(JSON.stringify(credentials)).digest("hex");
  return [image, runtimeHandler, rights].filter((part) => part !== "").join(" ");
}

/** The first pull that succeeds; the node's own credentials are tried last. Rejects with all errors, joined as the kubelet joins them. */
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
