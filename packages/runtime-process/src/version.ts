import { createRequire } from "node:module";
import { z } from "zod";

const manifest = z.object({ version: z.string() });

/** This package's own version. */
export const RUNTIME_VERSION = manifest.parse(createRequire(import.meta.url)("../package.json")).version;
