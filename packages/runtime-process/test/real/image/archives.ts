/** Makes image archives for tests. */
import { createHash } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { buffer } from "node:stream/consumers";
import { gzipSync } from "node:zlib";
import { type Headers, pack } from "tar-stream";

export type Member = Partial<Headers> & { readonly name: string; readonly text?: string | Buffer };

export async function tar(members: readonly Member[]): Promise<Buffer> {
  const packer = pack();
  for (const { text, ...header } of members) packer.entry(header, text ?? "");
  packer.finalize();
  return Buffer.from(await buffer(packer as unknown as NodeJS.ReadableStream));
}

export interface ImageParts {
  readonly layers: readonly (readonly Member[])[];
  readonly config?: Record<string, unknown>;
  readonly gzip?: boolean;
}

export const sha256 = (data: Buffer | string): string => createHash("sha256").update(data).digest("hex");

/** As `docker save` writes it. */
export async function dockerArchive(path: string, { layers, config = {} }: ImageParts): Promise<void> {
  const blobs = await Promise.all(layers.map(tar));
  const text = configText(config, blobs);
  const manifest = [
    { Config: "config.json", RepoTags: ["x:1"], Layers: blobs.map((_, index) => `${index}/layer.tar`) },
  ];
  const members: [string, Buffer | string][] = [
    ["manifest.json", JSON.stringify(manifest)],
    ["config.json", text],
    ...blobs.map((blob, index): [string, Buffer] => [`${index}/layer.tar`, blob]),
  ];
  await writeFile(path, await tarOf(members));
}

/** An OCI layout; layers gzipped when asked. */
export async function ociArchive(path: string, { layers, config = {}, gzip = false }: ImageParts): Promise<void> {
  const plain = await Promise.all(layers.map(tar));
  const blobs = plain.map((blob) => (gzip ? gzipSync(blob) : blob));
  const text = configText(config, plain);
  const manifest = JSON.stringify({
    config: { digest: `sha256:${sha256(text)}` },
    layers: blobs.map((blob) => ({ digest: `sha256:${sha256(blob)}` })),
  });
  const index = JSON.stringify({ manifests: [{ digest: `sha256:${sha256(manifest)}` }] });
  const blob = (data: Buffer | string): [string, Buffer | string] => [`blobs/sha256/${sha256(data)}`, data];
  await writeFile(
    path,
    await tarOf([["oci-layout", "{}"], ...blobs.map(blob), blob(text), blob(manifest), ["index.json", index]]),
  );
}

function configText(config: Record<string, unknown>, layers: readonly Buffer[]): string {
  return JSON.stringify({ config, rootfs: { diff_ids: layers.map((blob) => `sha256:${sha256(blob)}`) } });
}

async function tarOf(members: readonly (readonly [string, Buffer | string])[]): Promise<Buffer> {
  const packer = pack();
  for (const [name, data] of members) packer.entry({ name }, data);
  packer.finalize();
  return Buffer.from(await buffer(packer as unknown as NodeJS.ReadableStream));
}
