/** `$(NAME)` in commands, arguments and values; `$$(NAME)` stays `$(NAME)`, an unknown name stays as it is. Pure. */
export function expand(text: string, lookup: (name: string) => string | undefined): string {
  return text.replace(/\$(?:\$|\(([^()]*)\))/g, (match, name: string | undefined) =>
    name === undefined ? "$" : (lookup(name) ?? match),
  );
}
