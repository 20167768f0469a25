/** Why a container waits instead of running. Pure. */

import { allContainers, type Pod } from "@hooklet/manifest";
import type { ContainerStateWaiting, ContainerStatus } from "kubernetes-types/core/v1.js";
import {
  type Cause,
  type CauseFacts,
  changed,
  isStatic,
  missingObject,
  newestWarning,
  sentence,
  waitCommand,
} from "./facts.js";

/** @param name of the container */
export function waitingCause(
  facts: CauseFacts,
  name: string,
  { reason = "", message = "" }: ContainerStateWaiting,
): Cause {
  const { pod } = facts;
  const image = imageOf(pod, name);
  switch (reason) {
    case "ErrImageNeverPull":
      return {
        cause: `Image ${image} is not on this node, and it is not pulled.`,
        next: message.includes("image import")
          ? `Import it (hooklet image import ${image} FILE.tar), or use the image "host", the machine's own files.`
          : `Import the image, or set imagePullPolicy: IfNotPresent ${changed(pod)}.`,
      };
    case "ErrImagePull":
    case "ImagePullBackOff": {
      const said = message.startsWith("Back-off")
        ? (newestWarning(facts, ["Failed"], "Failed to pull image") ?? message)
        : message;
      return {
        cause: sentence(`Image ${image} cannot be pulled: ${withoutPrefix(said)}`),
        next: pullStep(pod, said),
      };
    }
    case "InvalidImageName":
      return {
        cause: `"${image}" is no valid image name.`,
        next: `Write REPOSITORY[:TAG][@DIGEST] in lower case, such as web:1, ${changed(pod)}.`,
      };
    default:
      return madeCause(pod, name, reason, message);
  }
}

/** CreateContainerConfigError, CreateContainerError, RunContainerError and the reasons of plugins. */
function madeCause(pod: Pod, name: string, reason: string, message: string): Cause {
  const missing = missingObject(message, pod);
  if (missing !== undefined) return missing;
  if (message.includes("runAsNonRoot")) {
    return {
      cause: `Container ${name} must not run as root (runAsNonRoot), but its image would.`,
      next: `Set securityContext.runAsUser to a user other than 0 ${changed(pod)}.`,
    };
  }
  if (message.startsWith("no command specified")) {
    return {
      cause: `Container ${name} has no command, and its image "${imageOf(pod, name)}" brings none.`,
      next: `Set the container's command ${changed(pod)}.`,
    };
  }
  const variable = /^missing value for (\S+)/.exec(message)?.[1];
  if (variable !== undefined) {
    return {
      cause: `subPathExpr of container ${name} names the variable ${variable}, which has no value.`,
      next: `Set ${variable} in the container's env, or change subPathExpr ${changed(pod)}.`,
    };
  }
  return {
    cause: sentence(`Container ${name} cannot be made (${reason})${message === "" ? "" : `: ${message}`}`),
    next: `Fix that; the node tries again by itself. If the manifest is wrong, correct it${isStatic(pod) ? "" : " and apply it again"}.`,
  };
}

function imageOf({ spec }: Pod, name: string): string {
  const all = [...(spec.initContainers ?? []), ...spec.containers];
  return all.find((container) => container.name === name)?.image ?? "?";
}

function withoutPrefix(message: string): string {
  return message.replace(/^Failed to pull image "[^"]*": /, "").replace(/^rpc error: code = \w+ desc = /, "");
}

function pullStep(pod: Pod, said: string): string {
  if (/unauthorized|authentication|denied|forbidden/i.test(said))
    return `Name imagePullSecrets that may read this image ${changed(pod)}.`;
  if (/not found|manifest unknown|no such image/i.test(said)) return `Correct the image's name or tag ${changed(pod)}.`;
  if (/skopeo/i.test(said))
    return "Install skopeo (Debian: apt install skopeo), or import the image with hooklet image import.";
  if (/no space left|disk/i.test(said)) return "Free some disk space; the node tries again by itself.";
  if (/certificate|x509|tls/i.test(said))
    return "Give the node the registry's CA certificate; it tries again by itself.";
  if (/no such host|ENOTFOUND|dial tcp|timeout|refused|i\/o/i.test(said))
    return "Check that this node reaches the registry; it tries again by itself.";
  return "Fix that; the node tries again by itself.";
}

// Why a container that runs is not ready.

/** Undefined: it has no probe that could be the reason. */
export function probeCause({ pod, events }: CauseFacts, { name, started }: ContainerStatus): Cause | undefined {
  const container = allContainers(pod).find((one) => one.name === name);
  const isStarting = container?.startupProbe !== undefined && started !== true;
  const field = isStarting ? "startupProbe" : "readinessProbe";
  if (container?.[field] === undefined) return undefined;
  const title = isStarting ? "Startup" : "Readiness";
  const failed = events.findLast(
    ({ reason, message = "", involvedObject }) =>
      reason === "Unhealthy" &&
      message.startsWith(`${title} probe`) &&
      (involvedObject.fieldPath?.includes(`{${name}}`) ?? true),
  );
  if (failed === undefined) {
    return {
      cause: `The ${title.toLowerCase()} probe of container ${name} has not succeeded yet.`,
      next: `Wait for it: ${waitCommand(pod)}.`,
    };
  }
  const said = (failed.message ?? "").replace(/^\w+ probe (?:failed|errored)[^:]*: ?/, "").trim();
  return {
    cause: sentence(`The ${title.toLowerCase()} probe of container ${name} fails${said === "" ? "" : `: ${said}`}`),
    next: `Let the program answer the probe, or change ${field} ${changed(pod)}.`,
  };
}
