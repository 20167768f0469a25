/** An error of a helper: name and code are those of the error that was thrown there. */
export class HelperError extends Error {
  constructor(
    override readonly name: string,
    message: string,
    readonly code: string | undefined,
  ) {
    super(message);
  }
}
