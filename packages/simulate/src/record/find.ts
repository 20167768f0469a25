/** Finds out what there is on a node: from files, from a kubelet, from a hooklet. */
import { stat } from "node:fs/promises";
import { type Clock, errorText, NodeAgentError, withDeadline } from "@hooklet/core";
import { readBounded } from "@hooklet/linux";
import { type Observed, observedIn } from "./observed.js";

/** 5 000 pods of a cluster are some 50 MB. */
const MAX_BYTES = 256 * 1024 * 1024;
const DEADLINE = 30_000;

/** @throws NodeAgentError INVALID naming the file that is none of those that are known */
export async function fromFiles(files: readonly string[]): Promise<Observed> {
  const all = await Promise.all(files.map(async (file) => known(parsed(await textOf(file), file), file)));
  return merged(all);
}

/** `/pods`, `/configz` and `/stats/summary` of a kubelet, or of a proxy before it. Without pods it rejects; `warn` is called for the others. */
export async function fromKubelet(url: string, clock: Clock, warn: (text: string) => Promise<void>): Promise<Observed> {
  const base = url.replace(/\/+$/, "");
  if (!/^https?:\/\//.test(base)) {
    throw new NodeAgentError("INVALID", `--kubelet: expected an address such as http://HOST:10255, found "${url}".`);
  }
  const ask = async (path: string): Promise<Observed> =>
    known(await fetched(`${base}${path}`, clock), `${base}${path}`);
  // A kubelet may keep them closed; pods alone make a scenario too.
  const unless = async (path: string, without: string): Promise<Observed> =>
    ask(path).catch(async (error: unknown) => {
      await warn(`${without}: ${errorText(error)}`);
      return {};
    });
  const pods = await ask("/pods");
  const others = await Promise.all([
    unless("/configz", "the kubelet's configuration is left out, hooklet's defaults are taken"),
    unless("/stats/summary", "what pods and disks use is left out"),
  ]);
  return merged([pods, ...others]);
}

/** Later ones fill in what is missing; pods of several files come together. */
export function merged(all: readonly Observed[]): Observed {
  const pods = all.flatMap((one) => one.pods ?? []);
  const whole = Object.assign({}, ...all) as Observed;
  return pods.length === 0 ? whole : { ...whole, pods };
}

function known(value: unknown, where: string): Observed {
  const found = observedIn(value);
  if (found !== undefined) return found;
  const expected =
    "a PodList, a Node, /configz, /stats/summary, crictl images -o json, or a device manager's checkpoint";
  throw new NodeAgentError("INVALID", `${where}: expected ${expected}, found another document.`);
}

function parsed(text: string, where: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new NodeAgentError("INVALID", `${where}: expected JSON, found ${errorText(cause)}`, { cause });
  }
}

async function textOf(file: string): Promise<string> {
  try {
    const { size } = await stat(file);
    if (size > MAX_BYTES) throw new Error(`it is larger than ${MAX_BYTES / 2 ** 20} MiB`);
    return await readBounded(file, { maxBytes: MAX_BYTES, anyKind: true });
  } catch (cause) {
    throw new NodeAgentError("INVALID", `Cannot read ${file}: ${errorText(cause)}`, { cause });
  }
}

async function fetched(url: string, clock: Clock): Promise<unknown> {
  const abort = new AbortController();
  const late = (): Error => {
    abort.abort();
    return new NodeAgentError("INVALID", `${url} has not answered within ${DEADLINE / 1000} s.`);
  };
  const answer = async (): Promise<unknown> => {
    const response = await fetch(url, { signal: abort.signal, redirect: "error" }).catch((cause: unknown) => {
      const { cause: why = cause } = cause as Error;
      throw new NodeAgentError("INVALID", `${url} does not answer: ${errorText(why)}`, { cause });
    });
    if (!response.ok) throw new NodeAgentError("INVALID", `${url}: expected status 200, found ${response.status}.`);
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
      size += chunk.length;
      if (size > MAX_BYTES)
        throw new NodeAgentError("INVALID", `${url}: the answer is larger than ${MAX_BYTES / 2 ** 20} MiB.`);
      chunks.push(chunk);
    }
    return parsed(Buffer.concat(chunks).toString("utf8"), url);
  };
  return withDeadline(clock, DEADLINE, answer(), late);
}
