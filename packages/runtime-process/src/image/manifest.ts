/** Manifests and indexes of images, as the OCI and docker write them. */

import { errorText } from "@hooklet/core";
import { RuntimeError } from "@hooklet/core/host";
import { z } from "zod";

/** Bytes of an index, a manifest or a config. */
export const MAX_JSON = 8 * 2 ** 20;

const descriptor = z.object({
  digest: z.string(),
  mediaType: z.string().optional(),
  size: z.number().nonnegative().optional(),
  platform: z.object({ architecture: z.string().optional(), os: z.string().optional() }).optional(),
});
const index = z.object({ manifests: z.array(descriptor).min(1) });
const manifest = z.object({ config: descriptor, layers: z.array(descriptor).max(512) });

export type Descriptor = z.infer<typeof descriptor>;
export type Manifest = z.infer<typeof manifest>;

/** @param what an index or a manifest: named in errors */
export function parseManifest(
  text: string,
  what: string,
): { readonly index: readonly Descriptor[] } | { readonly manifest: Manifest } {
  if (isIndex(text)) return { index: parseIndex(text, `the index ${what}`) };
  return { manifest: parseJson(text, manifest, `the manifest ${what}`) };
}

export function parseIndex(text: string, what: string): readonly Descriptor[] {
  return parseJson(text, index, what).manifests;
}

function isIndex(text: string): boolean {
  return (
    parseJson(text, z.object({ manifests: z.array(z.unknown()).optional() }), "a manifest").manifests !== undefined
  );
}

/** Those for this machine. Throws `invalid-argument` naming what there is when there is none. */
export function forThisMachine(manifests: readonly Descriptor[], from: string): [Descriptor, ...Descriptor[]] {
  const architecture = process.arch === "x64" ? "amd64" : process.arch;
  const [first, ...more] = manifests.filter(
    ({ platform }) =>
      platform === undefined ||
      ((platform.os ?? "linux") === "linux" && (platform.architecture ?? architecture) === architecture),
  );
  if (first !== undefined) return [first, ...more];
  const found = manifests.map(({ platform }) => `${platform?.os}/${platform?.architecture}`).join(", ");
  throw new RuntimeError("invalid-argument", `${from} holds no image for linux/${architecture}, only ${found}`);
}

/** The 64 hex digits. Throws `invalid-argument` for another kind of digest. */
export function hexOf(digest: string): string {
  const [, hex] = /^sha256:([0-9a-f]{64})$/.exec(digest) ?? [];
  if (hex !== undefined) return hex;
  throw new RuntimeError(
    "invalid-argument",
    `expected a digest sha256:<64 hex digits>, found ${JSON.stringify(digest.slice(0, 200))}`,
  );
}

// What an image says about how to run it.

const words = z.array(z.string()).max(10_000).nullish();

const ociConfig = z.object({
  architecture: z.string().optional(),
  config: z
    .object({
      Env: words,
      Entrypoint: words,
      Cmd: words,
      WorkingDir: z.string().nullish(),
      User: z.string().nullish(),
      StopSignal: z.string().nullish(),
    })
    .nullish(),
  rootfs: z.object({ diff_ids: z.array(z.string()).max(512) }).optional(),
});

export interface ImageConfig {
  readonly env: readonly string[];
  readonly entrypoint: readonly string[];
  readonly cmd: readonly string[];
  /** "" = `/`. */
  readonly workingDir: string;
  /** `user`, `uid`, `user:group`, `uid:gid`; "" = root. */
  readonly user: string;
  /** "" = TERM. */
  readonly stopSignal: string;
}

export const NO_CONFIG: ImageConfig = { env: [], entrypoint: [], cmd: [], workingDir: "", user: "", stopSignal: "" };

/**
 * Reads an OCI or docker image config. Throws `invalid-argument` naming the fault.
 * @param layers as many as the manifest has
 */
export function parseImageConfig(
  text: string,
  from: string,
  layers: number,
): { readonly config: ImageConfig; readonly diffIds?: readonly string[] } {
  const { config, rootfs } = parseJson(text, ociConfig, "the image's config");
  if (rootfs !== undefined && rootfs.diff_ids.length !== layers) {
    throw new RuntimeError(
      "invalid-argument",
      `${from}: the config names ${rootfs.diff_ids.length} layers, the manifest ${layers}`,
    );
  }
  return {
    config: {
      env: config?.Env ?? [],
      entrypoint: config?.Entrypoint ?? [],
      cmd: config?.Cmd ?? [],
      workingDir: config?.WorkingDir ?? "",
      user: config?.User ?? "",
      stopSignal: config?.StopSignal ?? "",
    },
    ...(rootfs !== undefined && { diffIds: rootfs.diff_ids }),
  };
}

/** Throws `invalid-argument` naming `what`, and the place in it. */
export function parseJson<T>(text: string, schema: z.ZodType<T>, what: string): T {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new RuntimeError("invalid-argument", `${what} is not JSON: ${errorText(error)}`);
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new RuntimeError("invalid-argument", `${what} is not understood: ${z.prettifyError(parsed.error)}`);
}
