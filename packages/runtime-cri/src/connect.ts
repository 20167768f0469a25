/** The first call: waits a little for a runtime that is just starting. */

import { sleep } from "@hooklet/core";
import { type RuntimeContext, RuntimeError } from "@hooklet/core/host";
import type { Calls } from "./calls.js";
import { CallError, codeOf } from "./errors.js";
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
