/**
 * What the runtime's configuration says: in fields where the CRI has them, else in texts that each runtime writes its own way.
 */
import type { RuntimeFacts } from "@hooklet/core/subsystem";
import type { Calls } from "./calls.js";
import { CallError, codeOf, rethrow } from "./errors.js";
import { type ConfigFacts, statusFacts } from "./map/status.js";

export async function configFacts(calls: Calls): Promise<ConfigFacts> {
  const [status, cgroupDriver] = await Promise.all([
    calls.call("Status", { verbose: true }).catch(rethrow),
    cgroupDriverOf(calls),
  ]);
  return { ...statusFacts(status), ...(cgroupDriver !== undefined && { cgroupDriver }) };
}

/** Undefined where the runtime is older than the call: containerd 1.6 and 1.7, CRI-O before 1.28. */
async function cgroupDriverOf(calls: Calls): Promise<RuntimeFacts["cgroupDriver"]> {
  try {
    const { linux } = await calls.call("RuntimeConfig", {});
    if (linux === null) return undefined;
    return linux.cgroupDriver === "SYSTEMD" ? "systemd" : "cgroupfs";
  } catch (error) {
    if (error instanceof CallError && codeOf(error) === "unimplemented") return undefined;
    return rethrow(error);
  }
}
