/** The wire formats against the recorded facts: every message, field number, type and call. */
import { readFileSync } from "node:fs";
import type { MessageTypeDefinition, MethodDefinition } from "@grpc/proto-loader";
import { describe, expect, test } from "@jest/globals";
import { definitions } from "../../../src/grpc/definitions.js";

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

/** FieldDescriptorProto, as protobufjs makes it. */
interface Field {
  readonly name: string;
  readonly number: number;
  readonly label: string;
  readonly type: string;
  readonly typeName: string;
}

/** `available_deviceIDs` is `availableDeviceIDs`. */
const camel = (name: string): string => name.replaceAll(/_([a-zA-Z])/g, (_, letter: string) => letter.toUpperCase());

/** A map is a message within the message. */
function typeOf({ type, typeName }: Field, maps: readonly string[]): string {
  if (type !== "TYPE_MESSAGE") return type.replace("TYPE_", "").toLowerCase();
  const name = typeName.split(".").at(-1) ?? "";
  return maps.includes(name) ? "map<string,string>" : name;
}

describe.each([
  ["v1beta1", "device-plugin-v1beta1.json"],
  ["pluginregistration", "plugin-registration-v1.json"],
  ["v1", "pod-resources-v1.json"],
] as const)("package %s", (name, file) => {
  const facts = JSON.parse(readFileSync(new URL(`../../golden/${file}`, import.meta.url), "utf8")) as Facts;

  test.each(Object.keys(facts.messages))("message %s", (message) => {
    const { field: fields, nestedType } = (definitions()[`${name}.${message}`] as MessageTypeDefinition<object, object>)
      .type as { readonly field: readonly Field[]; readonly nestedType: readonly { readonly name: string }[] };
    const maps = nestedType.map((nested) => nested.name);
    const own = fields.map((field) => {
      const type = typeOf(field, maps);
      return {
        n: field.number,
        name: field.name,
        type,
        repeated: field.label === "LABEL_REPEATED" && !type.startsWith("map"),
      };
    });
    const expected = facts.messages[message]?.map(({ n, name: field, type, repeated = false }) => ({
      n,
      name: camel(field),
      type,
      repeated,
    }));
    expect(own).toEqual(expected);
  });

  test.each(Object.keys(facts.services))("service %s", (of) => {
    const calls = Object.values(definitions()[`${name}.${of}`] as Record<string, MethodDefinition<object, object>>);
    expect(
      calls.map(({ path, requestType, responseType, responseStream }) => ({
        path,
        request: (requestType.type as { readonly name: string }).name,
        response: (responseType.type as { readonly name: string }).name,
        serverStream: responseStream,
      })),
    ).toEqual(
      facts.services[of]?.map(({ rpc, request, response, serverStream = false }) => ({
        path: `/${name}.${of}/${rpc}`,
        request,
        response,
        serverStream,
      })),
    );
  });
});
