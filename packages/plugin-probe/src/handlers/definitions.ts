/** The messages and calls of proto/, by name. A bundle has their description in place of the files: scripts/bundle.mjs. */
import { fileURLToPath } from "node:url";
import { loadSync, type PackageDefinition } from "@grpc/proto-loader";

const FILES = ["health.proto"];
const LOADED = { enums: String, defaults: true } as const;

let loaded: PackageDefinition | undefined;

export function definitions(): PackageDefinition {
  loaded ??= loadSync(
    FILES.map((file) => fileURLToPath(new URL(`../../proto/${file}`, import.meta.url))),
    LOADED,
  );
  return loaded;
}
