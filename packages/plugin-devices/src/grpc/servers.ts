/** What the plugin serves: the registration of device plugins, and the pod resources API. */
import type { Clock } from "@hooklet/core";
import { TokenBucket } from "@hooklet/utils";
import type { AllocatableResources, PodResources } from "../pod-resources.js";
import type { RegisterRequest } from "../registration/rules.js";
import { CallError, Code, GrpcServer, service } from "./grpc.js";

/** Requests in a second, and at once, as in the kubelet. */
const QPS = 100;
const BURST = 10;

export interface PodResourcesSource {
  list(): readonly PodResources[];
  get(name: string, namespace: string): PodResources | undefined;
  allocatable(): AllocatableResources;
  counted(request: PodResourcesCall, failed: boolean): void;
}

export type PodResourcesCall = "list" | "get" | "get_allocatable";

/** The pod resources API v1 for exporters: List, Get, GetAllocatableResources, as often as a kubelet answers. */
export function podResourcesServer(clock: Clock, source: PodResourcesSource): GrpcServer {
  const bucket = new TokenBucket(clock, { perSecond: QPS, burst: BURST });
  const answer = (call: PodResourcesCall, make: (request: object) => object) => async (request: object) => {
    if (!bucket.take()) throw new CallError(Code.RESOURCE_EXHAUSTED, "rejected by rate limit");
    try {
      const made = make(request);
      source.counted(call, false);
      return made;
    } catch (error) {
      source.counted(call, true);
      throw error;
    }
  };
  const server = new GrpcServer();
  server.add(service("v1.PodResourcesLister"), {
    List: answer("list", () => ({ podResources: source.list() })),
    Get: answer("get", (request) => {
      const { podName, podNamespace } = request as { readonly podName: string; readonly podNamespace: string };
      const found = source.get(podName, podNamespace);
      if (found === undefined) throw new Error(`pod ${podName} in namespace ${podNamespace} not found`);
      return { podResources: found };
    }),
    GetAllocatableResources: answer("get_allocatable", () => source.allocatable()),
  });
  return server;
}

/** `Registration` on `kubelet.sock`: where device plugins make themselves known. */
export function registrationServer(register: (request: RegisterRequest) => Promise<void>): GrpcServer {
  const server = new GrpcServer();
  server.add(service("v1beta1.Registration"), {
    async Register(request) {
      await register(request as RegisterRequest);
      return {};
    },
  });
  return server;
}
