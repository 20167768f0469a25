/** The wire formats against the recorded facts: every message, field number, type and call. */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "@jest/globals";
import { descriptor, service } from "../../../src/grpc/schema.js";

interface Facts {
  readonly messages: Readonly<
    Record<
      string,
      readonly { readonly n: number; readonly name: string; readonly type: string; readonly repeated?: boolean }[]
    >
  >;
  readonly services: Readonly<
    Record<
      string,
      readonly {
        readonly rpc: string;
        readonly request: string;
        readonly response: string;
        readonly serverStream?: boolean;
      }[]
    >
  >;
}

interface Own {
  readonly fields?: Readonly<Record<string, { id: number; type: string; rule?: string; keyType?: string }>>;
  readonly methods?: Readonly<Record<string, { requestType: string; responseType: string; responseStream?: boolean }>>;
}

/** `available_deviceIDs` is `availableDeviceIDs`. */
const camel = (name: string): string => name.replaceAll(/_([a-zA-Z])/g, (_, letter: string) => letter.toUpperCase());

describe.each([
  ["v1beta1", "device-plugin-v1beta1.json"],
  ["pluginregistration", "plugin-registration-v1.json"],
  ["v1", "pod-resources-v1.json"],
] as const)("package %s", (name, file) => {
  const facts = JSON.parse(readFileSync(new URL(`../../golden/${file}`, import.meta.url), "utf8")) as Facts;
  const own = descriptor()[name]?.nested as Readonly<Record<string, Own>>;

  test.each(Object.keys(facts.messages))("message %s", (message) => {
    const fields = Object.entries(own[message]?.fields ?? {}).map(([field, { id, type, rule, keyType }]) => ({
      n: id,
      name: field,
      type: keyType === undefined ? type : `map<${keyType},${type}>`,
      repeated: rule === "repeated",
    }));
    const expected = facts.messages[message]?.map(({ n, name: field, type, repeated = false }) => ({
      n,
      name: camel(field),
      type,
      repeated,
    }));
    expect(own[message]).toBeDefined();
    expect(fields).toEqual(expected);
  });

  test.each(Object.keys(facts.services))("service %s", (of) => {
    const calls = Object.entries(own[of]?.methods ?? {}).map(([rpc, one]) => ({
      rpc,
      request: one.requestType,
      response: one.responseType,
      serverStream: one.responseStream ?? false,
    }));
    expect(calls).toEqual(facts.services[of]?.map((call) => ({ serverStream: false, ...call })));
    const paths = Object.values(service(name, of as never)).map(({ path }) => path);
    expect(paths).toEqual(calls.map(({ rpc }) => `/${name}.${of}/${rpc}`));
  });
});
