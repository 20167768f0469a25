/**
 * The fixed shell scripts. They never change with a container: every value reaches them as an argument or in a
 * file, never as script text. Written for any POSIX sh (dash, bash, busybox). Pure.
 */

/** Appends the words of a file to the arguments: a word begins with `=`, a line feed in it continues on a line that begins with `+`. */
const READ_WORDS = `
while IFS= read -r line; do
  case $line in
  =*) set -- "$@" "\${line#=}" ;;
  +*)
    more="
\${line#+}"
    count=0 words=$#
    for word; do
      count=$((count + 1))
      test "$count" -lt "$words" || word=$word$more
      set -- "$@" "$word"
    done
    shift "$words"
    ;;
  esac
done <"$file"
`;

/**
 * The one process that stays beside a container (about 1 MiB): runs it and writes down how it ended, also when no agent
 * is there. Argument: a file of words: claim file, prefix of the exit file, then the container's command line. What it writes to is open as
 * descriptor 4. The container is started only by the process that creates the claim file, so that it is never started twice. The exit
 * code is in the name of an empty file: it appears whole or not at all, and needs no space on a full disk. Where the container has a
 * PID namespace, this is its process 1: it takes in orphans, no signal from inside reaches it, and with it the kernel ends all others.
 */
export const SHIM = `set -fC
file=$1
shift
${READ_WORDS}
claim=$1 exit=$2
shift 2
true >"$claim" || exit 0
"$@" >&4 2>&4 4>&-
code=$?
exec 4>&-
until true >"$exit.$code" || test -e "$exit.$code"; do sleep 1; done
exec sync "$exit.$code"
`;

const JOIN_CGROUPS = `
while IFS= read -r __hooklet_line; do
  printf 0 >"$__hooklet_line" || exit 125
done <"$__hooklet_dir/cgroups"
`;

/** Lines \`=NAME=VALUE\`; a line feed inside a value continues on a line that begins with \`+\`. */
const EXPORT_ENV = `
unset LC_ALL
__hooklet_item=
while IFS= read -r __hooklet_line; do
  case $__hooklet_line in
  =*)
    test -z "$__hooklet_item" || export "$__hooklet_item"
    __hooklet_item=\${__hooklet_line#=}
    ;;
  +*)
    __hooklet_item="$__hooklet_item
\${__hooklet_line#+}"
    ;;
  esac
done <"$__hooklet_dir/env"
test -z "$__hooklet_item" || export "$__hooklet_item"
`;

/**
 * Sets up a container in its own first process. It finds itself and its shim in the machine's /proc: in a PID namespace of its own
 * it has other numbers. Arguments: the container's folder, the file that tells "set up",
 * oom_score_adj, mount(8), then the command line to become.
 */
export const INNER = `set -f
__hooklet_dir=$1 __hooklet_up=$2 __hooklet_adj=$3 __hooklet_mount=$4
shift 4
exec 4>&2 2>"$__hooklet_dir/setup"
read -r __hooklet_boot </proc/sys/kernel/random/boot_id
read -r __hooklet_self </proc/self/stat
__hooklet_shim=\${__hooklet_self##*) }
__hooklet_shim=\${__hooklet_shim#* }
read -r __hooklet_shim </proc/\${__hooklet_shim%% *}/stat
printf '%s\\n' "$__hooklet_boot" "$__hooklet_self" "$__hooklet_shim" end >"$__hooklet_dir/pids" || exit 125
${JOIN_CGROUPS}
{ printf %s "$__hooklet_adj" >/proc/self/oom_score_adj; } 2>/dev/null || true
if test -s "$__hooklet_dir/fstab"; then
  "$__hooklet_mount" -c -a -T "$__hooklet_dir/fstab" >&2 || exit 125
fi
true >"$__hooklet_up" || exit 125
${EXPORT_ENV}
exec 2>&4 4>&-
exec "$@"
`;

/**
 * One small process beside the agent: forking it costs a fraction of forking the agent with all its memory. Reads one shim a
 * line, "<namespaces> <container> <words>", and starts it in a session of its own and free of its starter. Ends with the agent.
 * setsid(1) forks, not the shell: a shell lets its background processes ignore INT and QUIT, and they hand that down. What it forks is
 * the first process of the PID namespace that unshare(1) made for it, so that no process more is needed.
 * Arguments: setsid(1), unshare(1), sh, the shim's script, the folder of the containers' outputs.
 */
export const STARTER = `set -f
setsid=$1 unshare=$2 sh=$3 shim=$4 outputs=$5
while read -r kind id file; do
  case $kind in
  pids) set -- "$unshare" -p "$setsid" ;;
  user) set -- "$unshare" -U -r -p "$setsid" ;;
  *) set -- "$setsid" ;;
  esac
  "$@" -f "$sh" "$shim" "$file" </dev/null >/dev/null 2>&1 4>>"$outputs/$id.output"
done
`;

/**
 * Runs a command in a container that is there already. Arguments: the container's folder, oom_score_adj, then the command
 * line to become. Without a score of its own the command would have the agent's, which the kernel kills last.
 */
export const EXEC = `set -f
__hooklet_dir=$1 __hooklet_adj=$2
shift 2
{ printf %s "$__hooklet_adj" >/proc/self/oom_score_adj; } 2>/dev/null || true
${JOIN_CGROUPS}${EXPORT_ENV}
exec "$@"
`;

/**
 * What script(1) runs on the terminal that it made: tells the terminal's path on descriptor 3, waits for a line there (the terminal has its
 * size then) or for its end, then becomes the command line whose words are in the environment, one a variable. The text is fixed: only the number of a word ever stands in what is evaluated. Not the
 * container's own TERM, when it has one, but some TERM: containerd gives the same.
 */
export const ON_TERMINAL = `set -f
"$__hooklet_tty" >&3
read -r __hooklet_go <&3
exec 3>&-
unset SHELL __hooklet_tty
TERM=xterm
export TERM
__hooklet_at=0
while test "$__hooklet_at" -lt "$__hooklet_words"; do
  eval "set -- \\"\\$@\\" \\"\\$__hooklet_word_$__hooklet_at\\""
  unset "__hooklet_word_$__hooklet_at"
  __hooklet_at=$((__hooklet_at + 1))
done
unset __hooklet_words __hooklet_at __hooklet_go
exec "$@"
`;

/** Names beginning so are the scripts' own and reach a container by another way. */
export const SCRIPT_PREFIX = "__hooklet";
