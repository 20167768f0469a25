/** Fetches what the environment of a container takes from ConfigMaps and Secrets: each object once. */
import type { Container, Pod } from "@hooklet/manifest";
import { type Clock, tookTooLong, withDeadline } from "@hooklet/utils";
import type { KeyedValues } from "../../plugin/contract/providers.js";
import type { ProviderRegistry } from "../../plugin/providers.js";
import type { EnvValues } from "../spec/env.js";

/** Milliseconds that a provider may take. */
const DEADLINE = 30_000;

type Kind = "ConfigMap" | "Secret";

export class PodValues {
  constructor(
    private readonly providers: Pick<ProviderRegistry, "valuesOf" | "valueProviders">,
    private readonly clock: Clock,
  ) {}

  /** Rejects with the provider's own error, or when it takes longer than 30 s. */
  async of(pod: Pod, container: Container, signal: AbortSignal): Promise<EnvValues> {
    const wanted = references(container);
    const providers = this.providers.valueProviders();
    if (wanted.size === 0 && providers.every(({ serviceEnv }) => serviceEnv === undefined)) return noValues;
    const given = new AbortController();
    const both = AbortSignal.any([signal, given.signal]);
    const late = (): Error => {
      const what = `did not give those of the environment of container ${container.name}`;
      const error = tookTooLong("PROVIDER_TIMEOUT", "The provider of values", what, DEADLINE / 1000);
      given.abort(error);
      return error;
    };
    return withDeadline(this.clock, DEADLINE, this.#fetch(pod, wanted, both), late);
  }

  async #fetch(pod: Pod, wanted: ReadonlyMap<string, Reference>, signal: AbortSignal): Promise<EnvValues> {
    const found = new Map<string, KeyedValues>();
    const fetch = async ([key, { kind, name }]: [string, Reference]): Promise<void> => {
      const provider = this.providers.valuesOf(kind === "ConfigMap" ? "configMapKeyRef" : "secretKeyRef");
      const values = await provider?.get(kind, { namespace: pod.metadata.namespace, name }, pod, signal);
      if (values !== undefined) found.set(key, values);
    };
    const services = this.providers.valueProviders().map(async (one) => one.serviceEnv?.(pod, signal) ?? {});
    await Promise.all([...wanted].map(fetch));
    return {
      get: (kind, name) => found.get(`${kind}/${name}`)?.data,
      services: Object.assign({}, ...(await Promise.all(services))) as Record<string, string>,
    };
  }
}

const noValues: EnvValues = { get: () => undefined, services: {} };

interface Reference {
  readonly kind: Kind;
  readonly name: string;
}

function references({ env = [], envFrom = [] }: Container): ReadonlyMap<string, Reference> {
  const wanted = new Map<string, Reference>();
  const add = (kind: Kind, name: string | undefined): void => {
    if (name !== undefined) wanted.set(`${kind}/${name}`, { kind, name });
  };
  for (const { configMapRef, secretRef } of envFrom) {
    add("ConfigMap", configMapRef?.name);
    add("Secret", secretRef?.name);
  }
  for (const { valueFrom } of env) {
    add("ConfigMap", valueFrom?.configMapKeyRef?.name);
    add("Secret", valueFrom?.secretKeyRef?.name);
  }
  return wanted;
}
