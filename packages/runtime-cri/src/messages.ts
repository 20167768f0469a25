/** The messages and calls of proto/, by name. A bundle has their description in place of the files: scripts/bundle.mjs. */
import { fileURLToPath } from "node:url";
import { loadSync, type PackageDefinition } from "@grpc/proto-loader";

const LOADED = { longs: String, enums: String, defaults: true } as const;

export function definitions(): PackageDefinition {
  const files = ["cri.proto", "containerd.proto"];
  return loadSync(
    files.map((file) => fileURLToPath(new URL(`../proto/${file}`, import.meta.url))),
    LOADED,
  );
}
