/** Fields of an interface in a source, with their comments. */
export function fieldsOf(
  source: string,
  name: string,
): readonly { readonly field: string; readonly type: string; readonly says: string }[];
/** Markdown: what strategies are given. @param root of the repository */
export function candidateTables(root: URL): Promise<string>;
