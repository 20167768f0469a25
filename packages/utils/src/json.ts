/** What JSON can hold. Checkpoints and views are made of it. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
