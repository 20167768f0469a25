/** Registry credentials of docker config files, found and matched as the kubelet does. */
import { readFile } from "node:fs/promises";
import path from "node:path";
import { type PullCredentials, RuntimeError } from "@hooklet/cri-api";
import { errorText, whenGone } from "@hooklet/utils";
import { z } from "zod";
import { loginsFor, loginsIn, type RegistryLogin } from "./docker-config.js";

const text = z.string().optional();
const entry = z.object({ auth: text, username: text, password: text, identitytoken: text });
const file = z.object({ auths: z.record(z.string(), entry).default({}) });
const LARGEST_FILE = 1024 * 1024;
/** ENOTDIR: the home of many a service is /dev/null. */
const NOT_THERE = ["ENOENT", "ENOTDIR"];

/** Where the kubelet looks, the first file that is there counts; or else in the file that was `given`. */
export function dockerConfigFiles(rootDir: string, home: string | undefined, given?: string): readonly string[] {
  if (given !== undefined) return [given];
  return [
    path.join(rootDir, "config.json"),
    ...(home === undefined ? [] : [path.join(home, ".docker/config.json")]),
    "/.docker/config.json",
  ];
}

/**
 * Credentials for an image, the most specific first; empty: pull without any.
 * @throws RuntimeError invalid-argument for a file that cannot be used
 */
export async function nodeCredentials(image: string, files: readonly string[]): Promise<readonly PullCredentials[]> {
  for (const place of files) {
    const text = await textOf(place);
    if (text !== undefined) return loginsFor(parse(place, text), image).map(toCredentials);
  }
  return [];
}

function parse(place: string, text: string): readonly RegistryLogin[] {
  try {
    if (text.length > LARGEST_FILE) throw new Error(`it has ${text.length} bytes, expected at most ${LARGEST_FILE}`);
    return loginsIn(file.parse(JSON.parse(text)).auths);
  } catch (error) {
    throw new RuntimeError("invalid-argument", `${place} is no docker config file: ${errorText(error)}`);
  }
}

/**
 * The server stays empty, as in the kubelet: it was matched here, and containerd drops credentials for a server that is
 * written otherwise than as a URL.
 */
function toCredentials({ username, password, identityToken = "" }: RegistryLogin): PullCredentials {
  return { username, password, identityToken, serverAddress: "" };
}

async function textOf(place: string): Promise<string | undefined> {
  try {
    return await whenGone(undefined, () => readFile(place, "utf8"), NOT_THERE);
  } catch (error) {
    throw new RuntimeError("invalid-argument", `registry credentials cannot be read: ${errorText(error)}`);
  }
}
