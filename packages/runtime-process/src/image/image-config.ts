/** What an image says about how to run it. */
import { errorText } from "@hooklet/core";
import { RuntimeError } from "@hooklet/core/host";
import { z } from "zod";

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
