/** Pure. */
/** A text without the passwords of the URLs in it: `https://me:secret@host/` becomes `https://me:xxxxx@host/`. Pure. */
export declare function withoutPasswords(text: string): string;
