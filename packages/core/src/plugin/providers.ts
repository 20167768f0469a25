/** What plugins provide for pods: one provider for each kind, registered in `start`. */
import { type ProvidedKind, providedValues, providedVolumes } from "@hooklet/manifest";
import { foundText, NodeAgentError, pluginStart } from "@hooklet/utils";
import type { ObjectSource, Reviews, ServingCertificate } from "../sources/objects.js";
import type { CredentialProvider, Providers, ValueProvider, VolumeProvider } from "./contract/providers.js";

const VALUES: readonly ProvidedKind[] = providedValues;
const VOLUMES: readonly ProvidedKind[] = providedVolumes;

interface Owned<T> {
  readonly plugin: string;
  readonly provider: T;
}

export class ProviderRegistry {
  /** What manifests may use. Grows while the plugins start. */
  readonly provided = new Set<ProvidedKind>();
  readonly #owners = new Map<string, string>();
  readonly #values = new Map<ProvidedKind, Owned<ValueProvider>>();
  readonly #volumes = new Map<ProvidedKind, Owned<VolumeProvider>>();
  readonly #credentials: Owned<CredentialProvider>[] = [];
  /** Plugin -> its objects. */
  readonly #objects = new Map<string, ObjectSource>();
  #reviews: Reviews | undefined;
  #servingCertificate: ServingCertificate | undefined;

  /** `ctx.provide` of one plugin. @throws NodeAgentError CLAIM_CONFLICT naming both; PLUGIN_START for rubbish */
  forPlugin(plugin: string): Providers {
    return {
      values: (provider) => {
        this.#check(plugin, provider, "get");
        for (const kind of this.#claim(plugin, provider.kinds, VALUES)) this.#values.set(kind, { plugin, provider });
      },
      volumes: (provider) => {
        this.#check(plugin, provider, "prepare");
        for (const kind of this.#claim(plugin, provider.kinds, VOLUMES)) this.#volumes.set(kind, { plugin, provider });
      },
      credentials: (provider) => {
        this.#check(plugin, provider, "credentials");
        this.provided.add("imagePullSecrets");
        this.#credentials.push({ plugin, provider });
      },
      readinessGates: (types) => {
        if (!Array.isArray(types)) throw pluginStart(plugin, `its readiness gates are no list: ${foundText(types)}.`);
        for (const type of types) this.#own(plugin, `readiness gate ${type}`);
        this.provided.add("readinessGates");
      },
      objects: (source) => {
        this.#check(plugin, source, "read");
        this.#check(plugin, source, "watch");
        this.#own(plugin, `objects of the pods of ${plugin}`);
        this.#objects.set(plugin, source);
      },
      reviews: (reviews) => {
        this.#check(plugin, reviews, "reviewToken");
        this.#check(plugin, reviews, "reviewAccess");
        this.#own(plugin, "reviews of who asks the server");
        this.#reviews = reviews;
      },
      servingCertificate: (certificate) => {
        this.#check(plugin, certificate, "current");
        this.#check(plugin, certificate, "watch");
        this.#own(plugin, "the certificate of the server");
        this.#servingCertificate = certificate;
      },
    };
  }

  /** An API server answers for a plugin: the node is one of a cluster, and that plugin reports what the node's status is. */
  get isInCluster(): boolean {
    return this.#reviews !== undefined;
  }

  valuesOf(kind: "configMapKeyRef" | "secretKeyRef"): ValueProvider | undefined {
    return this.#values.get(kind)?.provider;
  }

  /** A value provider may know of services. */
  valueProviders(): readonly ValueProvider[] {
    return [...new Set([...this.#values.values()].map(({ provider }) => provider))];
  }

  volumesOf(kind: ProvidedKind): VolumeProvider | undefined {
    return this.#volumes.get(kind)?.provider;
  }

  /** In the order in which the plugins were started. */
  get credentials(): readonly { readonly plugin: string; readonly provider: CredentialProvider }[] {
    return this.#credentials;
  }

  objectsOf(plugin: string): ObjectSource | undefined {
    return this.#objects.get(plugin);
  }

  objectSources(): readonly ObjectSource[] {
    return [...this.#objects.values()];
  }

  get reviews(): Reviews | undefined {
    return this.#reviews;
  }

  get servingCertificate(): ServingCertificate | undefined {
    return this.#servingCertificate;
  }

  #check(plugin: string, provider: object, method: string): void {
    if (typeof provider !== "object" || provider === null) throw pluginStart(plugin, "it provided nothing.");
    if (typeof (provider as Record<string, unknown>)[method] !== "function") {
      throw pluginStart(plugin, `it provided what cannot be used: expected a method ${method}.`);
    }
  }

  #claim(plugin: string, kinds: readonly ProvidedKind[], known: readonly ProvidedKind[]): readonly ProvidedKind[] {
    for (const kind of kinds) {
      if (!known.includes(kind)) {
        throw pluginStart(plugin, `it provides ${foundText(kind)}: expected one of ${known.join(", ")}.`);
      }
      this.#own(plugin, kind);
      this.provided.add(kind);
    }
    return kinds;
  }

  #own(plugin: string, what: string): void {
    const first = this.#owners.get(what);
    if (first !== undefined) {
      const text = `Two plugins provide ${what}: ${first} does, ${plugin} wants to as well. Switch one of them off.`;
      throw new NodeAgentError("CLAIM_CONFLICT", text, { plugin });
    }
    this.#owners.set(what, plugin);
  }
}
