/** Members of an exported interface or class of a source, with their comments. */
export function fieldsOf(
  source: string,
  name: string,
): readonly { readonly field: string; readonly type: string; readonly says: string }[];
/** Markdown by section of docs/reference/plugins.md: what hooks, plugins and strategies are given. @param root of the repository */
export function memberTables(root: URL): Promise<Readonly<Record<string, string>>>;
