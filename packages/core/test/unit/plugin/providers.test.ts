import { expect, test } from "@jest/globals";
import type { Providers } from "../../../src/plugin/contract.js";
import { ProviderRegistry } from "../../../src/plugin/providers.js";

test.each([
  { name: "nothing", provider: undefined, says: "it provided nothing" },
  { name: "null", provider: null, says: "it provided nothing" },
  { name: "a text", provider: "me", says: "it provided nothing" },
  { name: "an object without the method", provider: {}, says: "expected a method credentials" },
])("$name is no provider, and the plugin is named", ({ provider, says }) => {
  const providers = new ProviderRegistry().forPlugin("mine");
  expect(() => providers.credentials(provider as never)).toThrow(says);
  expect(() => providers.credentials(provider as never)).toThrow('Plugin "mine" could not be started');
});

const used = () => undefined as never;
const objects = { read: used, watch: used };
const reviews = { reviewToken: used, reviewAccess: used };
const certificate = { current: used, watch: used };

test.each<[string, (of: Providers) => void, string]>([
  ["values", (of) => of.values({ kinds: [] } as never), "get"],
  ["volumes", (of) => of.volumes({ kinds: [] } as never), "prepare"],
  ["credentials", (of) => of.credentials({} as never), "credentials"],
  ["objects", (of) => of.objects({ watch: used } as never), "read"],
  ["objects that cannot be watched", (of) => of.objects({ read: used } as never), "watch"],
  ["reviews", (of) => of.reviews({ reviewAccess: used } as never), "reviewToken"],
  ["reviews of access", (of) => of.reviews({ reviewToken: used } as never), "reviewAccess"],
  ["a certificate", (of) => of.servingCertificate({ watch: used } as never), "current"],
  ["a certificate that cannot be watched", (of) => of.servingCertificate({ current: used } as never), "watch"],
])("a provider of %s needs its methods", (_, provide, method) => {
  expect(() => provide(new ProviderRegistry().forPlugin("mine"))).toThrow(
    expect.objectContaining({
      code: "PLUGIN_START",
      message: `Plugin "mine" could not be started: it provided what cannot be used: expected a method ${method}.`,
    }),
  );
});

test.each<[string, (of: Providers) => void]>([
  ["configMapKeyRef", (of) => of.values({ kinds: ["configMapKeyRef"], get: used })],
  ["secret", (of) => of.volumes({ kinds: ["secret"], prepare: used })],
  ["readiness gate a.b/ready", (of) => of.readinessGates(["a.b/ready"])],
  ["reviews of who asks the server", (of) => of.reviews(reviews)],
  ["the certificate of the server", (of) => of.servingCertificate(certificate)],
])("only one plugin provides %s", (what, provide) => {
  const registry = new ProviderRegistry();
  provide(registry.forPlugin("first"));
  expect(() => provide(registry.forPlugin("second"))).toThrow(
    expect.objectContaining({
      code: "CLAIM_CONFLICT",
      plugin: "second",
      message: `Two plugins provide ${what}: first does, second wants to as well. Switch one of them off.`,
    }),
  );
});

test("each plugin may have objects of its own, once", () => {
  const registry = new ProviderRegistry();
  const other = { ...objects };
  registry.forPlugin("a").objects(objects);
  registry.forPlugin("b").objects(other);
  expect([registry.objectsOf("a"), registry.objectsOf("b"), registry.objectsOf("c")]).toEqual([
    objects,
    other,
    undefined,
  ]);
  expect(registry.objectSources()).toEqual([objects, other]);
  expect(() => registry.forPlugin("a").objects(objects)).toThrow(
    "objects of the pods of a: a does, a wants to as well",
  );
});

test("of kinds that nothing can provide the known ones are named", () => {
  const mine = new ProviderRegistry().forPlugin("mine");
  expect(() => mine.values({ kinds: ["secret"] as never, get: used })).toThrow(
    'it provides "secret": expected one of configMapKeyRef, secretKeyRef',
  );
  expect(() => mine.volumes({ kinds: ["emptyDir"] as never, prepare: used })).toThrow(
    'it provides "emptyDir": expected one of ',
  );
  expect(() => mine.readinessGates("a.b/ready" as never)).toThrow('its readiness gates are no list: "a.b/ready".');
});

test("what is provided may be used in manifests, and is found by its kind", () => {
  const registry = new ProviderRegistry();
  const values = { kinds: ["configMapKeyRef", "secretKeyRef"], get: used } as never;
  const volumes = { kinds: ["secret"], prepare: used } as never;
  const credentials = { credentials: used };
  const own = registry.forPlugin("mine");
  expect([[...registry.provided], registry.valueProviders(), registry.isInCluster]).toEqual([[], [], false]);
  own.values(values);
  own.volumes(volumes);
  own.credentials(credentials);
  own.readinessGates(["a.b/ready"]);
  own.reviews(reviews);
  own.servingCertificate(certificate);
  expect([...registry.provided]).toEqual([
    "configMapKeyRef",
    "secretKeyRef",
    "secret",
    "imagePullSecrets",
    "readinessGates",
  ]);
  expect([registry.valuesOf("secretKeyRef"), registry.valueProviders()]).toEqual([values, [values]]);
  expect([registry.volumesOf("secret"), registry.volumesOf("configMap")]).toEqual([volumes, undefined]);
  expect(registry.credentials).toEqual([{ plugin: "mine", provider: credentials }]);
  expect([registry.reviews, registry.servingCertificate, registry.isInCluster]).toEqual([reviews, certificate, true]);
});
