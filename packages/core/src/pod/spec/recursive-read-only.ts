/** Whether a mount is read-only with all that is mounted below it (KEP-3857; the kubelet's resolveRecursiveReadOnly). Pure. */
import type { VolumeMount } from "kubernetes-types/core/v1.js";

/**
 * `supported`: the pod's RuntimeClass handler can.
 * @throws Error with the kubelet's message when it is required and not supported
 */
export function recursiveReadOnly(mount: VolumeMount, supported: boolean): boolean {
  const { name, readOnly, mountPropagation = "None", recursiveReadOnly: mode = "Disabled" } = mount;
  if (mode === "Disabled") return false;
  const asked = `volume "${name}" requested recursive read-only mode, but it is`;
  if (readOnly !== true) throw new Error(`${asked} not read-only`);
  if (mountPropagation !== "None") throw new Error(`${asked} not compatible with propagation "${mountPropagation}"`);
  if (mode === "IfPossible") return supported;
  if (mode !== "Enabled") throw new Error(`unknown recursive read-only mode "${mode}"`);
  if (!supported) throw new Error(`${asked} not supported by the runtime`);
  return true;
}
