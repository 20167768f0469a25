/** The reading of a YAML text ends at its first error. */
import type { Composer } from "yaml";

/**
 * The library makes an error of each sign that is too much, at 20 µs each (yaml 2.9), and the first is all that is told. `onError` is its
 * own, not for others: where it is called otherwise one day, errors are found as before, at the end of the document.
 */
export function endAtFirstError(composer: Composer, end: (offset: number, message: string) => never): void {
  const { onError } = composer as unknown as { readonly onError: Report };
  let told: unknown;
  const first: Report = (source, code, message, warning) => {
    if (warning === true) return onError(source, code, message, warning);
    // What is thrown inside of a collection comes here again, as one of the library's errors.
    if (told !== undefined) throw told;
    try {
      const offset = typeof source === "number" ? source : "offset" in source ? source.offset : source[0];
      end(offset, message);
    } catch (error) {
      told = error;
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
