/** The reading of a YAML text ends at its first error. */
import type { Composer } from "yaml";

/**
 * The library creates an error for each excess character, at 20 µs each (yaml 2.9), and only the first is reported. `onError` is
 * internal: where the library calls it differently one day, errors are found as before, at the end of the document.
 */
export function endAtFirstError(composer: Composer, end: (offset: number, message: string) => never): void {
  const { onError } = composer as unknown as { readonly onError: Report };
  let failure: unknown;
  const first: Report = (source, code, message, warning) => {
    if (warning === true) return onError(source, code, message, warning);
    // What is thrown inside of a collection comes here again, as one of the library's errors.
    if (failure !== undefined) throw failure;
    try {
      const offset = typeof source === "number" ? source : "offset" in source ? source.offset : source[0];
      end(offset, message);
    } catch (error) {
      failure = error;
      throw error;
    }
  };
  Object.assign(composer, { onError: first });
}

type Report = (
  source: number | readonly [number, number] | { readonly offset: number },
  code: string,
  message: string,
  warning?: boolean,
) => void;
