/**
 * The wire formats: device plugin v1beta1, plugin registration v1, pod resources v1. Field names are the proto's in
 * camelCase; a test compares every message with the recorded facts. Made when first used.
 */
import { fromJSON, type MessageTypeDefinition, type MethodDefinition } from "@grpc/proto-loader";

type Field = readonly [id: number, type: string, rule?: "repeated" | "map" | "optional"];

/** `map`: from text to text. */
const messages = {
  v1beta1: {
    DevicePluginOptions: { preStartRequired: [1, "bool"], getPreferredAllocationAvailable: [2, "bool"] },
    RegisterRequest: {
      version: [1, "string"],
      endpoint: [2, "string"],
      resourceName: [3, "string"],
      options: [4, "DevicePluginOptions"],
    },
    Empty: {},
    ListAndWatchResponse: { devices: [1, "Device", "repeated"] },
    TopologyInfo: { nodes: [1, "NUMANode", "repeated"] },
    NUMANode: { ID: [1, "int64"] },
    Device: { ID: [1, "string"], health: [2, "string"], topology: [3, "TopologyInfo"] },
    PreStartContainerRequest: { devicesIds: [1, "string", "repeated"] },
    PreStartContainerResponse: {},
    PreferredAllocationRequest: { containerRequests: [1, "ContainerPreferredAllocationRequest", "repeated"] },
    ContainerPreferredAllocationRequest: {
      availableDeviceIDs: [1, "string", "repeated"],
      mustIncludeDeviceIDs: [2, "string", "repeated"],
      allocationSize: [3, "int32"],
    },
    PreferredAllocationResponse: { containerResponses: [1, "ContainerPreferredAllocationResponse", "repeated"] },
    ContainerPreferredAllocationResponse: { deviceIDs: [1, "string", "repeated"] },
    AllocateRequest: { containerRequests: [1, "ContainerAllocateRequest", "repeated"] },
    ContainerAllocateRequest: { devicesIds: [1, "string", "repeated"] },
    CDIDevice: { name: [1, "string"] },
    AllocateResponse: { containerResponses: [1, "ContainerAllocateResponse", "repeated"] },
    ContainerAllocateResponse: {
      envs: [1, "string", "map"],
      mounts: [2, "Mount", "repeated"],
      devices: [3, "DeviceSpec", "repeated"],
      annotations: [4, "string", "map"],
      cdiDevices: [5, "CDIDevice", "repeated"],
    },
    Mount: { containerPath: [1, "string"], hostPath: [2, "string"], readOnly: [3, "bool"] },
    DeviceSpec: { containerPath: [1, "string"], hostPath: [2, "string"], permissions: [3, "string"] },
  },
  pluginregistration: {
    PluginInfo: {
      type: [1, "string"],
      name: [2, "string"],
      endpoint: [3, "string"],
      supportedVersions: [4, "string", "repeated"],
    },
    RegistrationStatus: { pluginRegistered: [1, "bool"], error: [2, "string"] },
    RegistrationStatusResponse: {},
    InfoRequest: {},
  },
  v1: {
    AllocatableResourcesRequest: {},
    AllocatableResourcesResponse: {
      devices: [1, "ContainerDevices", "repeated"],
      cpuIds: [2, "int64", "repeated"],
      memory: [3, "ContainerMemory", "repeated"],
    },
    ListPodResourcesRequest: {},
    ListPodResourcesResponse: { podResources: [1, "PodResources", "repeated"] },
    PodResources: {
      name: [1, "string"],
      namespace: [2, "string"],
      containers: [3, "ContainerResources", "repeated"],
      cpuIds: [4, "int64", "repeated"],
      memory: [5, "ContainerMemory", "repeated"],
    },
    ContainerResources: {
      name: [1, "string"],
      devices: [2, "ContainerDevices", "repeated"],
      cpuIds: [3, "int64", "repeated"],
      memory: [4, "ContainerMemory", "repeated"],
      dynamicResources: [5, "DynamicResource", "repeated"],
    },
    ContainerMemory: { memoryType: [1, "string"], size: [2, "uint64"], topology: [3, "TopologyInfo"] },
    ContainerDevices: {
      resourceName: [1, "string"],
      deviceIds: [2, "string", "repeated"],
      topology: [3, "TopologyInfo"],
    },
    TopologyInfo: { nodes: [1, "NUMANode", "repeated"] },
    NUMANode: { ID: [1, "int64"] },
    DynamicResource: {
      claimName: [2, "string"],
      claimNamespace: [3, "string"],
      claimResources: [4, "ClaimResource", "repeated"],
    },
    ClaimResource: {
      cdiDevices: [1, "CDIDevice", "repeated"],
      driverName: [2, "string"],
      poolName: [3, "string"],
      deviceName: [4, "string"],
      shareId: [5, "string", "optional"],
    },
    CDIDevice: { name: [1, "string"] },
    GetPodResourcesRequest: { podName: [1, "string"], podNamespace: [2, "string"] },
    GetPodResourcesResponse: { podResources: [1, "PodResources"] },
  },
} as const satisfies Record<string, Record<string, Record<string, Field>>>;

type Call = readonly [request: string, response: string, stream?: "stream"];

const services = {
  v1beta1: {
    Registration: { Register: ["RegisterRequest", "Empty"] },
    DevicePlugin: {
      GetDevicePluginOptions: ["Empty", "DevicePluginOptions"],
      ListAndWatch: ["Empty", "ListAndWatchResponse", "stream"],
      GetPreferredAllocation: ["PreferredAllocationRequest", "PreferredAllocationResponse"],
      Allocate: ["AllocateRequest", "AllocateResponse"],
      PreStartContainer: ["PreStartContainerRequest", "PreStartContainerResponse"],
    },
  },
  pluginregistration: {
    Registration: {
      GetInfo: ["InfoRequest", "PluginInfo"],
      NotifyRegistrationStatus: ["RegistrationStatus", "RegistrationStatusResponse"],
    },
  },
  v1: {
    PodResourcesLister: {
      List: ["ListPodResourcesRequest", "ListPodResourcesResponse"],
      GetAllocatableResources: ["AllocatableResourcesRequest", "AllocatableResourcesResponse"],
      Get: ["GetPodResourcesRequest", "GetPodResourcesResponse"],
    },
  },
} as const satisfies Record<string, Record<string, Record<string, Call>>>;

type Packages = typeof services;
export type PackageName = keyof Packages;

/** As gRPC takes them: path, serializers and parsers by name of the call. */
/** What gRPC needs of a call. */
type Method = Omit<MethodDefinition<object, object>, "options" | "originalName" | "requestType" | "responseType">;
export type ServiceDefinition = Readonly<Record<string, Method>>;

export function service<P extends PackageName>(name: P, of: keyof Packages[P] & string): ServiceDefinition {
  const calls = Object.entries<Call>(services[name][of] as Readonly<Record<string, Call>>);
  return Object.fromEntries(
    calls.map(([call, [request, response, stream]]): [string, Method] => [
      call,
      {
        path: `/${name}.${of}/${call}`,
        requestStream: false,
        responseStream: stream !== undefined,
        requestSerialize: serializer(name, request),
        requestDeserialize: deserializer(name, request),
        responseSerialize: serializer(name, response),
        responseDeserialize: deserializer(name, response),
      },
    ]),
  );
}

/** A server listens from the start of the agent on; most nodes have no device plugin that comes. */
const serializer =
  (name: PackageName, message: string) =>
  (value: object): Buffer =>
    messageType(name, message).serialize(value);
const deserializer =
  (name: PackageName, message: string) =>
  (bytes: Buffer): object =>
    messageType(name, message).deserialize(bytes);

export function messageType(name: PackageName, message: string): MessageTypeDefinition<object, object> {
  return loaded()[`${name}.${message}`] as unknown as MessageTypeDefinition<object, object>;
}

let packages: ReturnType<typeof fromJSON> | undefined;

function loaded(): ReturnType<typeof fromJSON> {
  packages ??= fromJSON({ nested: descriptor() } as Parameters<typeof fromJSON>[0], {
    longs: Number,
    defaults: true,
    objects: true,
    arrays: true,
  });
  return packages;
}

/** The descriptor in protobufjs' JSON. */
export function descriptor(): Readonly<Record<string, { readonly nested: Readonly<Record<string, object>> }>> {
  return Object.fromEntries(
    Object.entries(messages).map(([name, types]) => [
      name,
      {
        nested: {
          ...Object.fromEntries(Object.entries(types).map(([type, fields]) => [type, messageOf(fields)])),
          ...Object.fromEntries(
            Object.entries(services[name as PackageName]).map(([of, calls]) => [of, { methods: methodsOf(calls) }]),
          ),
        },
      },
    ]),
  );
}

function messageOf(fields: Readonly<Record<string, Field>>): object {
  return {
    fields: Object.fromEntries(
      Object.entries(fields).map(([name, [id, type, rule]]) => {
        if (rule === "map") return [name, { keyType: "string", type, id }];
        if (rule === "optional") return [name, { type, id, options: { proto3_optional: true } }];
        return [name, { type, id, ...(rule === undefined ? {} : { rule }) }];
      }),
    ),
  };
}

function methodsOf(calls: Readonly<Record<string, Call>>): object {
  return Object.fromEntries(
    Object.entries(calls).map(([name, [requestType, responseType, stream]]) => [
      name,
      { requestType, responseType, comment: "", ...(stream === undefined ? {} : { responseStream: true }) },
    ]),
  );
}
