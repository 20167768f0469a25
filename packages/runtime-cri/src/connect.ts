/** The first call: waits a little for a runtime that is just starting. */

import { sleep } from "@hooklet/core";
import { type RuntimeContext, RuntimeError } from "@hooklet/core/host";
import type { RuntimeFacts } from "@hooklet/core/subsystem";
import { CallError, codeOf, rethrow } from "./call-errors.js";
import type { Calls } from "./calls.js";
import { type ConfigFacts, statusFacts } from "./map/status.js";
import type { Answers } from "./wire.js";

/** Milliseconds. */
const PATIENCE = 20_000;
const PAUSE = 500;

/** @throws RuntimeError, naming the endpoint */
export async function connectTo(
  endpoint: string,
  calls: Calls,
  { clock, log }: RuntimeContext,
): Promise<Answers["Version"]> {
  const began = clock.monotonic();
  let reported = false;
  for (;;) {
    try {
      const version = await calls.call("Version", { version: "v1" });
      // Version answers before the runtime knows its containers; Status does not.
      await calls.call("Status", {});
      return version;
    } catch (error) {
      const away = error instanceof CallError && codeOf(error) === "unavailable";
      if (!away) throw namely(endpoint, error);
      if (clock.monotonic() - began > PATIENCE) {
        throw new RuntimeError("unavailable", `no container runtime answers at ${endpoint}: ${error.details}`, {
          cause: error,
        });
      }
      if (!reported) log.warn(`no container runtime answers at ${endpoint} yet; trying for ${PATIENCE / 1000} s`);
      reported = true;
      await sleep(clock, PAUSE);
    }
  }
}

function namely(endpoint: string, error: unknown): unknown {
  if (!(error instanceof CallError)) return error;
  const text = `the container runtime at ${endpoint}: expected an answer to ${error.rpc}, found ${error.codeName}: ${error.details}`;
  return new RuntimeError(codeOf(error), text, { cause: error });
}

/**
 * What the runtime's configuration says: in fields where the CRI has them, else in texts that each runtime writes its own way.
 */
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
