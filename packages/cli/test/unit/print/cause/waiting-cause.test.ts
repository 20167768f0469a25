/** Why a container waits: by the reason and the message of its state. */
import { expect, test } from "@jest/globals";
import { anEvent, aPod } from "../../../../../server/test/samples.js";
import type { Cause } from "../../../../src/print/cause/facts.js";
import { waitingCause } from "../../../../src/print/cause/waiting-cause.js";

const AGAIN = "in its manifest and apply it again";
const TRIES = "it tries again by itself.";

function causeOf(reason: string, message: string, pod: Parameters<typeof aPod>[1] = {}): Cause {
  const warning = anEvent("web", "Failed", { type: "Warning", message: 'Failed to pull image "host": told before' });
  const other = anEvent("web", "Failed", { type: "Warning", message: "Error: ErrImagePull" });
  const facts = { pod: aPod("web", pod), events: [warning, other], decisions: [], pods: [], logs: new Map() };
  return waitingCause(facts, "main", { reason, message });
}

test.each<[string, Cause, Cause]>([
  [
    "an image that is never pulled, and cannot be imported",
    causeOf("ErrImageNeverPull", "not present with pull policy of Never"),
    {
      cause: "Image host is not on this node, and it is not pulled.",
      next: `Import the image, or set imagePullPolicy: IfNotPresent ${AGAIN}.`,
    },
  ],
  [
    "a back-off, whose reason the newest event of a pull has",
    causeOf("ImagePullBackOff", "Back-off pulling image"),
    { cause: "Image host cannot be pulled: told before.", next: "Fix that; the node tries again by itself." },
  ],
  [
    "a pull whose message tells its reason",
    causeOf("ErrImagePull", "rpc error: code = Unknown desc = broken pipe"),
    { cause: "Image host cannot be pulled: broken pipe.", next: "Fix that; the node tries again by itself." },
  ],
  [
    "no command",
    causeOf("CreateContainerError", "no command specified"),
    {
      cause: 'Container main has no command, and its image "host" brings none.',
      next: `Set the container's command ${AGAIN}.`,
    },
  ],
  [
    "a variable of subPathExpr",
    causeOf("CreateContainerConfigError", "missing value for POD_NAME in subPathExpr"),
    {
      cause: "subPathExpr of container main names the variable POD_NAME, which has no value.",
      next: `Set POD_NAME in the container's env, or change subPathExpr ${AGAIN}.`,
    },
  ],
  [
    "another reason with a message",
    causeOf("CreateContainerError", "the disk is full"),
    {
      cause: "Container main cannot be made (CreateContainerError): the disk is full.",
      next: "Fix that; the node tries again by itself. If the manifest is wrong, correct it and apply it again.",
    },
  ],
  [
    "another reason without one, of a pod of a file",
    causeOf("RunContainerError", "", { metadata: { annotations: { "kubernetes.io/config.source": "http" } } }),
    {
      cause: "Container main cannot be made (RunContainerError).",
      next: "Fix that; the node tries again by itself. If the manifest is wrong, correct it.",
    },
  ],
  [
    "an image that no container of the pod names",
    causeOf("InvalidImageName", "", { spec: { containers: [] } }),
    {
      cause: '"?" is no valid image name.',
      next: `Write REPOSITORY[:TAG][@DIGEST] in lower case, such as web:1, ${AGAIN}.`,
    },
  ],
  [
    "the image of an init container",
    causeOf("InvalidImageName", "", { spec: { initContainers: [{ name: "main", image: "A" }], containers: [] } }),
    {
      cause: '"A" is no valid image name.',
      next: `Write REPOSITORY[:TAG][@DIGEST] in lower case, such as web:1, ${AGAIN}.`,
    },
  ],
])("%s", (_name, cause, expected) => expect(cause).toEqual(expected));

test.each<[string, readonly string[]]>([
  [
    `Name imagePullSecrets that may read this image ${AGAIN}.`,
    ["unauthorized", "authentication required", "access denied", "403 Forbidden"],
  ],
  [`Correct the image's name or tag ${AGAIN}.`, ["not found", "manifest unknown", "no such image"]],
  [
    "Install skopeo (Debian: apt install skopeo), or import the image with hooklet image import.",
    ["skopeo is missing"],
  ],
  ["Free some disk space; the node tries again by itself.", ["no space left on device", "disk quota"]],
  [`Give the node the registry's CA certificate; ${TRIES}`, ["bad certificate", "x509: unknown authority", "tls: x"]],
  [
    `Check that this node reaches the registry; ${TRIES}`,
    ["no such host", "ENOTFOUND", "dial tcp 10.0.0.1", "i/o", "timeout", "refused"],
  ],
])("a pull: %s", (next, messages) => {
  for (const message of messages) expect([message, causeOf("ErrImagePull", message).next]).toEqual([message, next]);
});
