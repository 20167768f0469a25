/** JSON values, for checkpoints and views. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
