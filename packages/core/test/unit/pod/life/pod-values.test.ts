import type { Container } from "@hooklet/manifest";
import { VirtualClock } from "@hooklet/testkit";
import { beforeEach, expect, test } from "@jest/globals";
import { PodValues } from "../../../../src/pod/life/pod-values.js";
import { aContainer, aPod } from "../../../pod/pods.js";

let asked: unknown[];
beforeEach(() => {
  asked = [];
});

const provider = (kind: string, more: object = {}) => ({
  get: async (...[what, { namespace, name }]: [string, { namespace: string; name: string }]) => {
    asked.push(`${kind}: ${what} ${namespace}/${name}`);
    return name === "gone" ? undefined : { data: { from: `${what} ${name}` } };
  },
  ...more,
});

function valuesOf(container: Partial<Container>, providers: readonly object[] = [], hasProvider = true) {
  const values = new PodValues(
    {
      valuesOf: (kind: string) => (hasProvider ? provider(kind) : undefined),
      valueProviders: () => providers,
    } as never,
    new VirtualClock(),
  );
  return values.of(aPod(), aContainer("main", container), new AbortController().signal);
}

const from = (kind: string, name?: string) => ({
  name: "A",
  valueFrom: { [kind]: { key: "k", ...(name && { name }) } },
});

test("each object that the environment takes values from is fetched once, by the provider of its kind", async () => {
  const { get } = await valuesOf({
    envFrom: [{ configMapRef: { name: "a" } }, { secretRef: { name: "b" } }],
    env: [
      from("configMapKeyRef", "a"),
      from("secretKeyRef", "a"),
      from("configMapKeyRef", "gone"),
      { name: "B", value: "1" },
    ],
  } as never);
  expect(asked.toSorted()).toEqual([
    "configMapKeyRef: ConfigMap default/a",
    "configMapKeyRef: ConfigMap default/gone",
    "secretKeyRef: Secret default/a",
    "secretKeyRef: Secret default/b",
  ]);
  expect([get("ConfigMap", "a"), get("Secret", "b")]).toEqual([{ from: "ConfigMap a" }, { from: "Secret b" }]);
  expect([get("ConfigMap", "b"), get("ConfigMap", "gone")]).toEqual([undefined, undefined]);
});

test("a reference without a name, or of a kind that no plugin provides, has no values", async () => {
  await valuesOf({ env: [from("configMapKeyRef")] } as never);
  expect(asked).toEqual([]);
  const { get } = await valuesOf({ env: [from("configMapKeyRef", "a")] } as never, [], false);
  expect(get("ConfigMap", "a")).toBeUndefined();
});

test("the variables of services come from all providers, the last one's count; also for a container without values", async () => {
  const services = [
    provider("x"),
    provider("y", { serviceEnv: async () => ({ A: "1", B: "1" }) }),
    provider("z", { serviceEnv: async () => ({ B: "2" }) }),
  ];
  expect((await valuesOf({}, services)).services).toEqual({ A: "1", B: "2" });
});

test("a container that takes nothing has nothing", async () => {
  const { get, services } = await valuesOf({}, [provider("x")]);
  expect([get("ConfigMap", "a"), services, asked]).toEqual([undefined, {}, []]);
});
