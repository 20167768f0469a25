export interface Bundle {
  readonly files: number;
  readonly bytes: number;
  /** What esbuild tells of it: for each file what was put into it, by paths relative to the repository's root. */
  readonly metafile: {
    readonly outputs: Readonly<Record<string, { readonly inputs: Readonly<Record<string, object>> }>>;
  };
}
export const bundleFolder: string;
export function bundle(): Promise<Bundle>;
