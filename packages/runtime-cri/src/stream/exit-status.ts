/** How a command ended, as an error stream tells it. Pure. */
import { RuntimeError } from "@hooklet/core/host";
import { z } from "zod";

/** An empty text is no 0: the command failed. */
const WHOLE = /^-?\d+$/;

/** The OCI runtime's own words, behind those of all that called it. */
const NOT_RUN = /unable to start container process: (exec: .*?)(?:: unknown)?$/s;

const status = z.object({
  status: z.string(),
  message: z.string().optional(),
  reason: z.string().optional(),
  details: z
    .object({ causes: z.array(z.object({ reason: z.string().optional(), message: z.string() })).optional() })
    .optional(),
});

/**
 * The exit code in the metav1.Status on the error stream (protocol v4).
 * @throws RuntimeError for a command that could not be run
 */
export function exitCodeOf(text: string): number {
  const parsed = status.safeParse(parse(text));
  if (!parsed.success) throw new RuntimeError("unknown", `the runtime ended the command with ${JSON.stringify(text)}`);
  const { data } = parsed;
  if (data.status === "Success") return 0;
  const cause = data.details?.causes?.find(({ reason }) => reason === "ExitCode");
  if (data.reason === "NonZeroExitCode" && WHOLE.test(cause?.message ?? "")) return Number(cause?.message);
  const message = data.message ?? text;
  throw new RuntimeError("unknown", NOT_RUN.exec(message)?.[1] ?? message);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // reported whole by the caller
  }
}
