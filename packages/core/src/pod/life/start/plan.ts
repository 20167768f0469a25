/** What a container is started with: the kubelet's part and, through the containerStart taps, the plugins' part. */

import type { ContainerConfig, Image } from "@hooklet/cri-api";
import { type Container, initContainers, isSidecar, type Pod } from "@hooklet/manifest";
import type { EphemeralContainer } from "kubernetes-types/core/v1.js";
import { isBelow } from "../../../admission/restrictions.js";
import type { NodeHooks } from "../../../hooks/hooks.js";
import { ContainerPlanBuilder, type PlanResult } from "../../../plan/builder.js";
import type { DecisionRecorder } from "../../../plugin/contract.js";
import { containerSubject } from "../../../plugin/subject.js";
import { containerConfig } from "../../spec/container-config.js";
import { containerEnv } from "../../spec/env.js";
import { hostsFile } from "../../spec/hostname.js";
import { verifyRunAsNonRoot } from "../../spec/security.js";
import type { PodState } from "../../state.js";
import type { PodNode } from "../pod-node.js";
import type { PodValues } from "../pod-values.js";
import type { PodVolumes } from "../volumes.js";
import { type StartContext, StartFailure } from "./failures.js";

/** Annotation by which the back-off survives a restart of the agent (own; absent on first starts). */
export const BACK_OFF_ANNOTATION = "hooklet.dev/back-off-seconds";

export interface PlanPorts {
  /** Paths of the node that the pod may have mounted; null = any. */
  allowedHostPaths(pod: Pod): readonly string[] | null;
  /** Whether containers of the pod that name no seccomp profile get RuntimeDefault. */
  seccompDefault(pod: Pod): boolean;
  readonly hooks: Pick<NodeHooks, "containerStart">;
  decisions(plugin: string): DecisionRecorder;
  readonly node: PodNode;
  readonly values: Pick<PodValues, "of">;
  readonly volumes: Pick<PodVolumes, "restore" | "mounts" | "hostsMount" | "terminationLogMount">;
}

export async function baseConfig(
  { ports, state, signal }: StartContext<PlanPorts>,
  container: Container,
  image: Image,
  attempt: number,
  ips: readonly string[],
): Promise<ContainerConfig> {
  const { pod } = state();
  const { node, volumes } = ports;
  verifyRunAsNonRoot(pod, container, image);
  await volumes.restore(pod, signal);
  const podIps = ips.length > 0 ? ips : [node.ip];
  const env = containerEnv(pod, container, {
    nodeName: node.name,
    hostIp: node.ip,
    podIps,
    allocatable: node.allocatable(),
    values: await ports.values.of(pod, container, signal),
  });
  const mounts = [...(await volumes.mounts(pod, container, env))];
  const taken = new Set(mounts.map((mount) => mount.containerPath));
  if (!taken.has("/etc/hosts")) {
    const text = hostsFile(pod, node.clusterDomain, podIps, pod.spec.hostNetwork === true ? await node.hosts() : "");
    mounts.push(await volumes.hostsMount(pod, text));
  }
  const log = await volumes.terminationLogMount(pod, container, attempt);
  if (log !== undefined && !taken.has(log.containerPath)) mounts.push(log);
  const target = targetOf(state(), container);
  const config = containerConfig(pod, container, {
    attempt,
    image,
    env,
    mounts,
    seccompDefault: ports.seccompDefault(pod),
    ...(target && { target }),
  });
  const backOff = state().backOffs[container.name];
  if (backOff === undefined) return config;
  return { ...config, annotations: { ...config.annotations, [BACK_OFF_ANNOTATION]: String(backOff.window / 1000) } };
}

/**
 * The container whose processes an ephemeral container sees.
 * @throws Error with the kubelet's message while that container does not run
 */
function targetOf({ containers }: PodState, container: Container): string | undefined {
  const { targetContainerName: name } = container as EphemeralContainer;
  if (name === undefined || name === "") return undefined;
  const target = containers[name];
  if (target?.kind !== "running") throw new Error(`unable to find target container ${name}`);
  return target.id;
}

export async function planned(
  { ports, state, signal }: StartContext<PlanPorts>,
  container: Container,
  config: ContainerConfig,
  restartCount: number,
): Promise<PlanResult> {
  const { pod } = state();
  const kind = !initContainers(pod).includes(container) ? "main" : isSidecar(container) ? "sidecar" : "init";
  const { envs, mounts, devices, annotations } = config;
  const builder = new ContainerPlanBuilder({ envs, mounts, devices, annotations, resources: config.linux.resources });
  try {
    await ports.hooks.containerStart.promise(builder, { pod, container, kind, restartCount, signal });
  } catch (error) {
    throw new StartFailure("PreCreateHookError", error);
  }
  const plan = builder.result();
  const fault = foreignMount(plan, config, ports.allowedHostPaths(pod));
  if (fault !== undefined) throw new StartFailure("PreCreateHookError", new Error(fault));
  for (const [plugin, fields] of plan.set) {
    const outcome = `set ${fields.join(", ")}`;
    const subject = containerSubject(pod, container.name);
    ports.decisions(plugin).record({ strategy: "containerStart", subject, considered: [], outcome });
  }
  return plan;
}

/** What a plugin mounts, a device plugin's for one, is the node's as a hostPath is: the source's list holds for both. */
function foreignMount(
  plan: PlanResult,
  config: ContainerConfig,
  allowed: readonly string[] | null,
): string | undefined {
  if (allowed === null) return undefined;
  const own = new Set(config.mounts.map(({ containerPath }) => containerPath));
  const foreign = plan.mounts.find(
    ({ containerPath, hostPath }) => !own.has(containerPath) && !allowed.some((folder) => isBelow(hostPath, folder)),
  );
  if (foreign === undefined) return undefined;
  const { containerPath, hostPath } = foreign;
  return `a plugin mounts ${hostPath} at ${containerPath}, which allowedHostPaths of the pod's source does not name. Add it there`;
}

export function withPlan(config: ContainerConfig, plan: PlanResult): ContainerConfig {
  const { envs, mounts, devices, cdiDevices, annotations, resources } = plan;
  return { ...config, envs, mounts, devices, cdiDevices, annotations, linux: { ...config.linux, resources } };
}
