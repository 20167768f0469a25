/** The project's own .proto files against the recorded wire facts: every message, field number, type and call. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "@jest/globals";
import protobuf from "protobufjs";

interface Field {
  readonly n: number;
  readonly name: string;
  readonly type: string;
  readonly repeated?: boolean;
}
interface Facts {
  readonly messages: Readonly<Record<string, readonly Field[]>>;
  readonly enums?: Readonly<Record<string, Readonly<Record<string, number>>>>;
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

const facts = (file: string): Facts =>
  JSON.parse(readFileSync(new URL(`../../golden/${file}`, import.meta.url), "utf8")) as Facts;
const cri = facts("cri-v1.json");
const containerd = facts("containerd-events-v1.json");
const load = (file: string): protobuf.Root => {
  const root = new protobuf.Root();
  return root.loadSync(fileURLToPath(new URL(`../../../proto/${file}`, import.meta.url)), { keepCase: true });
};

/** Same bytes on the wire, another word: the newest CRI calls a value bytes that all before it called string. */
const SAME_WIRE: Readonly<Record<string, string>> = { "KeyValue.value": "bytes" };

describe("proto/cri.proto", () => {
  const space = load("cri.proto").lookup("runtime.v1") as protobuf.Namespace;
  const types = space.nestedArray.filter((one): one is protobuf.Type => one instanceof protobuf.Type);
  const services = space.nestedArray.filter((one): one is protobuf.Service => one instanceof protobuf.Service);

  test.each(types.map((type) => ({ name: type.name, type })))("message $name", ({ name, type }) => {
    const known = cri.messages[name];
    for (const field of type.fieldsArray) {
      const fact = known?.find(({ n }) => n === field.id);
      const type = SAME_WIRE[`${name}.${field.name}`] ?? typeText(field);
      expect({ name: field.name, type, repeated: field.repeated }).toEqual({
        name: fact?.name,
        type: fact?.type,
        repeated: fact?.repeated ?? false,
      });
    }
    expect(known).toBeDefined();
  });

  test.each(
    services.flatMap((service) =>
      service.methodsArray.map((method) => ({ rpc: `${service.name}.${method.name}`, service, method })),
    ),
  )("call $rpc", ({ service, method }) => {
    const fact = cri.services[service.name]?.find(({ rpc }) => rpc === method.name);
    expect(fact).toMatchObject({ request: method.requestType, response: method.responseType });
    expect(fact?.serverStream ?? false).toBe(method.responseStream ?? false);
  });

  test("enums", () => {
    const own = [
      ...enums(space),
      ...types.flatMap((type) => enums(type).map(([name, values]) => [`${type.name}.${name}`, values] as const)),
    ];
    expect(own.length).toBeGreaterThan(5);
    for (const [name, values] of own) expect(values).toEqual(cri.enums?.[name]);
  });
});

describe("proto/containerd.proto", () => {
  const space = load("containerd.proto").lookup("containerd.services.events.v1") as protobuf.Namespace;
  const fields = (name: string) =>
    space.lookupType(name).fieldsArray.map(({ id, name: field }) => ({ n: id, name: field }));
  const known = (name: string) => containerd.messages[name]?.map(({ n, name: field }) => ({ n, name: field })) ?? [];

  test.each([
    ["SubscribeRequest", "containerd.services.events.v1.SubscribeRequest"],
    ["Envelope", "containerd.types.Envelope"],
    ["TaskEvent", "containerd.events.TaskStart"],
  ])("%s is %s in part", (own, theirs) => {
    for (const field of fields(own)) expect(known(theirs)).toContainEqual(field);
  });

  test("a container's id stands at the same place in a start and a delete", () => {
    for (const message of ["TaskStart", "TaskDelete"]) {
      expect(known(`containerd.events.${message}`)).toContainEqual({ n: 1, name: "container_id" });
    }
  });
});

function typeText(field: protobuf.Field): string {
  if (field instanceof protobuf.MapField) return `map<${field.keyType},${field.type}>`;
  return field.type;
}

function enums(space: protobuf.NamespaceBase): readonly (readonly [string, Record<string, number>])[] {
  return space.nestedArray
    .filter((one): one is protobuf.Enum => one instanceof protobuf.Enum)
    .map((one) => [one.name, { ...one.values }] as const);
}
