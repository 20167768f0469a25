/** The runtime's operations as scenarios call them: by the CRI's names. Pure. */

const operations = {
  RunPodSandbox: "runSandbox",
  StopPodSandbox: "stopSandbox",
  RemovePodSandbox: "removeSandbox",
  ListPodSandbox: "listSandboxes",
  PodSandboxStatus: "sandboxStatus",
  CreateContainer: "createContainer",
  StartContainer: "startContainer",
  StopContainer: "stopContainer",
  RemoveContainer: "removeContainer",
  ListContainers: "listContainers",
  ContainerStatus: "containerStatus",
  UpdateContainerResources: "updateContainerResources",
  ExecSync: "execSync",
  ImageStatus: "imageStatus",
  ListImages: "listImages",
  PullImage: "pullImage",
  RemoveImage: "removeImage",
  ImageFsInfo: "imageFsInfo",
  ListContainerStats: "listContainerStats",
} as const;

export type Operation = (typeof operations)[keyof typeof operations];

export const operationNames = Object.keys(operations);

export function operationOf(name: string): Operation | undefined {
  return Object.hasOwn(operations, name) ? operations[name as keyof typeof operations] : undefined;
}
