/** Requests a certificate from the API server and waits until it is signed. */
import { type Clock, isNodeAgentError, withDeadline } from "@hooklet/core";
import { ApiError, isApiError } from "../client/api-error.js";
import type { KubeClient } from "../client/client.js";
import { ListWatch } from "../client/list-watch.js";
import { paths } from "../client/paths.js";
import type { KubeObject } from "../client/watch-events.js";
import { newKey, requestName, requestOf } from "./key.js";
import type { Pair } from "./pair.js";
import type { PairStore } from "./pair-store.js";
import { answerOf, asksFor, type SigningRequest, signingRequest, type Wanted } from "./wanted.js";

export interface RequestPorts {
  readonly client: Pick<KubeClient, "get" | "create" | "stream" | "pause">;
  readonly clock: Clock;
  readonly random: () => number;
  readonly store: PairStore;
}

/** Milliseconds until an unanswered request is sent again, with the same key and name, so that it is the same one. */
const PATIENCE = 15 * 60_000;

type Request = KubeObject & SigningRequest;

/** The new pair, stored. Rejects where it was denied, and where no answer came. */
export async function requestPair(ports: RequestPorts, wanted: Wanted, signal: AbortSignal): Promise<Pair> {
  const { store } = ports;
  const kept = await store.pendingKey();
  const key = kept ?? (await newKey());
  if (kept === undefined) await store.keepPendingKey(key);
  let text: string;
  let name: string;
  try {
    [text, name] = [await requestOf(key, wanted), requestName(key, wanted)];
  } catch (error) {
    // A leftover that is no key: the next try makes one.
    await store.dropPendingKey();
    throw error;
  }
  const cert = await signed(ports, name, wanted, text, signal);
  const pair = await store.update({ cert, key }).catch(async (error: unknown) => {
    // The signed certificate does not match this key: another request with it would get the same answer.
    if (isNodeAgentError(error, "INVALID")) await store.dropPendingKey();
    throw error;
  });
  await store.dropPendingKey();
  return pair;
}

async function signed(
  ports: RequestPorts,
  name: string,
  wanted: Wanted,
  text: string,
  signal: AbortSignal,
): Promise<string> {
  const { client, clock, store } = ports;
  try {
    await client.create(paths.certificateSigningRequests, signingRequest(name, wanted, text), { signal });
  } catch (error) {
    if (!isApiError(error, 409)) throw error;
    const there = await client.get<Request>(paths.certificateSigningRequest(name), { signal });
    if (!asksFor(there, wanted)) {
      await store.dropPendingKey();
      throw new ApiError(
        409,
        "AlreadyExists",
        `certificate signing request ${name} is there and asks for something else`,
      );
    }
  }
  const given = new AbortController();
  const late = (): Error => {
    const error = new ApiError(504, "Timeout", `certificate signing request ${name} was not signed within 15 min`);
    given.abort(error);
    return error;
  };
  try {
    return await withDeadline(clock, PATIENCE, awaited(ports, name, AbortSignal.any([signal, given.signal])), late);
  } catch (error) {
    // Refused for good, or gone: another request is another one's.
    if (isApiError(error, 403, 404)) await store.dropPendingKey();
    throw error;
  }
}

function awaited({ client, clock, random }: RequestPorts, name: string, signal: AbortSignal): Promise<string> {
  return new Promise<string>((resolve, reject) => {
    /** Before that a list without it is one of a cache that does not have it yet. */
    let seen = false;
    const take = (request: Request | undefined): void => {
      if (request === undefined) {
        finish(new ApiError(404, "NotFound", `certificate signing request ${name} is gone, unanswered`));
        return;
      }
      const answer = answerOf(request);
      if (answer.kind === "signed") finish(answer.certificate);
      else if (answer.kind === "refused") {
        finish(new ApiError(403, "Denied", `certificate signing request ${name} is ${answer.why}`));
      }
    };
    const watch = new ListWatch<Request>({
      client,
      clock,
      random,
      path: paths.certificateSigningRequests,
      query: { fieldSelector: `metadata.name=${name}` },
      sink: {
        replace: ([request]) => {
          seen ||= request !== undefined;
          if (seen) take(request);
        },
        changed: (type, request) => {
          seen = true;
          take(type === "DELETED" ? undefined : request);
        },
        // Tried again by itself; the deadline ends it.
        failed: () => undefined,
      },
    });
    const finish = (end: string | Error): void => {
      signal.removeEventListener("abort", onAbort);
      void watch.stop();
      if (typeof end === "string") resolve(end);
      else reject(end);
    };
    const onAbort = (): void => finish(signal.reason as Error);
    signal.addEventListener("abort", onAbort, { once: true });
    if (signal.aborted) onAbort();
    else watch.start();
  });
}
