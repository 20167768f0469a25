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
    [[ $current == -*=* ]] && current=\${current#*=}
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

/** Zsh's part. It starts zsh's completion where nothing else has, and runs no word of the command line either. */
const zshScript = `#compdef hooklet
(( $+functions[compdef] )) || { autoload -Uz compinit && compinit }

_hooklet() {
    local line value
    local -a found open
    while IFS= read -r line; do
        value=\${line%%$'\\t'*}
        [[ -z $value || $value == :* ]] && continue
        # What stands behind a : is the description.
        line="\${value//:/\\\\:}:\${\${line#$value}#$'\\t'}"
        if [[ $value == *[/=:] ]]; then open+=("$line"); else found+=("$line"); fi
    done < <(hooklet complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)
    [[ $words[CURRENT] == -*=* ]] && compset -P '*='
    _describe hooklet found -- open -S ''
}

if [[ $funcstack[1] == _hooklet ]]; then _hooklet "$@"; else compdef _hooklet hooklet; fi
`;

/** The script that makes a shell ask `hooklet complete -- WORDS`. */
export async function printScript({ io }: Context, shell: string): Promise<number> {
  // The library's own for bash needs the package bash-completion, fails when sourced again, and evaluates the command line; that for zsh
  // fails where completion was not started, and takes the tag of an image for a description.
  if (shell === "bash") await write(io.stdout, bashScript);
  else if (shell === "zsh") await write(io.stdout, zshScript);
  else script(shell, "hooklet", "hooklet");
  return 0;
}
