/** Manifests and indexes of images, as the OCI and docker write them. */
import { RuntimeError } from "@hooklet/core/host";
import { z } from "zod";
import { parseJson } from "./image-config.js";

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
