import { script } from "@bomb.sh/tab";
import type { Context } from "../context.js";
import { write } from "../io.js";

/**
 * Bash's part of the completion: asks `hooklet complete` with the words so far. It needs nothing but bash 4, may be sourced again, and
 * runs no word of the command line.
 */
const bashScript = `# bash completion for hooklet
__hooklet_complete() {
    local line current prefix value
    local -a words
    read -ra words <<< "\${COMP_LINE:0:COMP_POINT}"
    [[ \${COMP_LINE:0:COMP_POINT} == *[[:space:]] ]] && words+=("")
    current=\${words[-1]}
    # Bash takes what stands behind = and : for words of their own.
    prefix=\${current%"\${current##*[:=]}"}
    COMPREPLY=()
    while IFS= read -r line; do
        value=\${line%%$'\\t'*}
        [[ -n $value && $value != :* && $value == "$current"* ]] && COMPREPLY+=("\${value#"$prefix"}")
    done < <(hooklet complete -- "\${words[@]:1}" 2>/dev/null)
    [[ \${#COMPREPLY[@]} -eq 1 && \${COMPREPLY[0]} == *[/=:] ]] && compopt -o nospace 2>/dev/null
    return 0
}

complete -F __hooklet_complete hooklet
`;

/** The script that makes a shell ask `hooklet complete -- WORDS`. */
export async function printScript({ io }: Context, shell: string): Promise<number> {
  // The library's own for bash needs the package bash-completion, fails when sourced again, and evaluates the command line.
  if (shell === "bash") await write(io.stdout, bashScript);
  else script(shell, "hooklet", "hooklet");
  return 0;
}
