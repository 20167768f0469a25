/** The errno of a failed system call, for example `ENOENT`; undefined for any other error. */
export declare function errno(error: unknown): string | undefined;
/** What `call` gives; `otherwise` in place of an error with one of these codes. */
export declare function unless<T, U>(codes: readonly string[], otherwise: U, call: () => T): T | U;
/** What `call` gives; `otherwise` when the file that it asks for is not there (ENOENT). Any other error passes on. */
export declare function whenGone<T, U>(otherwise: U, call: () => T | Promise<T>): Promise<T | U>;
