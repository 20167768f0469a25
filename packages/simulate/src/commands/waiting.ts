/** A word for who waits at a terminal: a run prints nothing before its first result, and that may take seconds. */
import { type Context, printLine } from "@hooklet/cli/extend";

/** @param runs how many there are */
export async function tellWaiting({ io }: Pick<Context, "io">, names: readonly string[], runs = 1): Promise<void> {
  if (io.stderr.isTTY !== true) return;
  const [first = "", ...others] = names;
  const which = others.length === 0 ? first : `${names.length} scenarios`;
  await printLine(io.stderr, `Simulating ${which}${runs === 1 ? "" : `, ${runs} runs`} ...`);
}
