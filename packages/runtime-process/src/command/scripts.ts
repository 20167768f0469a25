/**
 * The fixed scripts. They never change with a container: every value reaches them as an argument or in a file, never as script text. Written
 * for any POSIX sh (dash, bash, busybox) and perl 5. No word of a pod is among their arguments, but the command of an exec.
 */

import { createHash } from "node:crypto";
import { lstatSync } from "node:fs";
import { lstat, readFile } from "node:fs/promises";
import { join } from "node:path";
import { removeTree, writeFileAtomic } from "@hooklet/linux";

/**
 * The one process that stays beside a container (about 1 MiB): runs it and writes down how it ended, also when no agent
 * is there. Argument: a file of words, one a line: claim file, prefix of the exit file, then the container's command line. What it writes to is open as
 * descriptor 4. The container is started only by the process that creates the claim file, so that it is never started twice. The exit
 * code is in the name of an empty file: it appears whole or not at all, and needs no space on a full disk. Where the container has a
 * PID namespace, this is its process 1: it takes in orphans, no signal from inside reaches it, and with it the kernel ends all others.
 */
const SHIM = `set -fC
file=$1
shift
while IFS= read -r word; do
  set -- "$@" "$word"
done <"$file"
claim=$1 exit=$2
shift 2
true >"$claim" || exit 0
"$@" >&4 2>&4 4>&-
code=$?
exec 4>&-
until true >"$exit.$code" || test -e "$exit.$code"; do sleep 1; done
exec sync "$exit.$code"
`;

/** Reads the cgroups' files from a file: a process that joined stays there with all that it starts. */
const joinCgroups = (file: string): string => `
while IFS= read -r line; do
  printf 0 >"$line" || exit 125
done <"${file}"
`;

/**
 * Sets up a container in its own first process. It finds itself and its shim in the machine's /proc: in a PID namespace of its own
 * it has other numbers. Arguments: the container's folder, the file that tells "set up",
 * oom_score_adj, mount(8), then the command line to become. What the container writes to is open as descriptor 4 from then on; what the
 * tools say goes to a file, of which only what was said after "set up" is left at the end.
 */
const INNER = `set -f
dir=$1 up=$2 adj=$3 mount=$4
shift 4
exec 4>&2 2>"$dir/setup"
read -r boot </proc/sys/kernel/random/boot_id
read -r self </proc/self/stat
shim=\${self##*) }
shim=\${shim#* }
read -r shim </proc/\${shim%% *}/stat
printf '%s\\n' "$boot" "$self" "$shim" end >"$dir/pids" || exit 125
${joinCgroups("$dir/cgroups")}
{ printf %s "$adj" >/proc/self/oom_score_adj; } 2>/dev/null || true
if test -s "$dir/fstab"; then
  "$mount" -c -a -T "$dir/fstab" >&2 || exit 125
fi
true >"$up" || exit 125
exec 2>"$dir/setup"
exec "$@"
`;

/**
 * The last step, in perl: leaves the machine's root, becomes the container's user, and only then reads the container's
 * environment and command. So nothing that still is root, or can leave the container's root, ever has a variable of
 * the pod. Arguments: the descriptor that becomes standard error, the new root ("" = none), the user's number ("" = none), the launch
 * file, a command in place of that in the file. The file is opened before, as it lies out of the container's reach.
 */
const ENTER = String.raw`
my ($errors, $root, $uid, $launch, @words) = @ARGV;
open(my $said, '>&', \*STDERR) or exit 125;
if ($errors != 2) {
  open(my $real, '>&=', $errors) or fail('standard error: ');
  open(STDERR, '>&', $real) or fail('standard error: ');
  close $real;
}
open(my $file, '<', $launch) or fail("$launch: ");
if ($root ne '') {
  chroot($root) or fail("chroot $root: ");
  chdir('/') or fail('chdir /: ');
}
my $dir = do { local $/ = "\0"; <$file> };
chop $dir;
my $there = chdir $dir;
# What only the user may enter, as in runc.
fail("chdir $dir: ") unless $there || $! == 13 || $! == 1;
if ($uid ne '') {
  $> = $uid;
  $< = $uid;
  fail("setuid $uid: ") if $< != $uid || $> != $uid;
  if ($uid != 0) {
    $> = 0;
    fail("setuid $uid: ") if $> == 0;
  }
}
$there || chdir($dir) or fail("chdir $dir: ");
my ($count, @rest) = split /\0/, do { local $/; <$file> }, -1;
close $file;
pop @rest;
my $term = $ENV{TERM};
%ENV = ();
for my $variable (splice @rest, 0, $count) {
  my $at = index $variable, '=';
  $ENV{substr $variable, 0, $at} = substr $variable, $at + 1;
}
$ENV{TERM} = $term if defined $term && !exists $ENV{TERM};
@words = @rest unless @words;
exec { $words[0] } @words;
fail('');

sub fail {
  my ($what, $number, $why) = (shift, $! + 0, "$!");
  syswrite $said, "$what$why\n";
  exit($number == 2 ? 127 : 126);
}
`;

/**
 * One small process beside the agent: forking it costs a fraction of forking the agent with all its memory. Ends with the agent.
 * A line "mount - <folder>" or "umount - <folder>" is about the /dev/shm of a pod, and is answered by "<exit code> <what the tool said>". Any other line is a shim, "<namespaces> <container> <words>": the starter starts it in a session of its own and free of its starter.
 * It joins the cgroups of the pod's sandbox first, so that all of it counts for the pod.
 * setsid(1) forks, not the shell: a shell lets its background processes ignore INT and QUIT, and they hand that down. What it forks is
 * the first process of the PID namespace that unshare(1) made for it, so that no process more is needed.
 * Arguments: setsid(1), unshare(1), sh, the shim's script, the folder of the containers' outputs, mount(8), umount(8), mount options.
 */
const STARTER = `set -f
setsid=$1 unshare=$2 sh=$3 shim=$4 outputs=$5 mount=$6 umount=$7 options=$8
answer() {
  said=$("$@" 2>&1 </dev/null)
  code=$?
  set -- $said
  printf '%s\\n' "$code $*"
}
while read -r kind id file; do
  case $kind in
  mount) answer "$mount" -c -t tmpfs -o "$options" shm "$file"; continue ;;
  umount) answer "$umount" -c -l "$file"; continue ;;
  pids) set -- "$unshare" -p "$setsid" ;;
  user) set -- "$unshare" -U -r -p "$setsid" ;;
  *) set -- "$setsid" ;;
  esac
  (
    ${joinCgroups("$file.cgroups").trim().replaceAll("\n", "\n    ")}
    exec "$@" -f "$sh" "$shim" "$file"
  ) </dev/null >/dev/null 2>&1 4>>"$outputs/$id.output"
done
`;

/**
 * Runs a command in a container that is there already. Arguments: the container's folder, oom_score_adj, then the command
 * line to become. Without a score of its own the command would have the agent's, which the kernel kills last.
 */
const EXEC = `set -f
dir=$1 adj=$2
shift 2
{ printf %s "$adj" >/proc/self/oom_score_adj; } 2>/dev/null || true
${joinCgroups("$dir/cgroups")}
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

/**
 * Becomes the program that pulls an image. Arguments: the folder that it sees as /tmp ("" = none: there is no mount namespace), the most
 * that it may write to a file, in blocks of 512 bytes, mount(8), then its command line.
 */
const PULL = `set -ef
shown=$1 blocks=$2 mount=$3
shift 3
if test -n "$shown"; then "$mount" -c --bind "$shown" /tmp; fi
ulimit -f "$blocks"
exec "$@"
`;

// Puts the scripts where the shims read them from.

const MODE = 0o500;

export interface Scripts {
  readonly shim: string;
  readonly inner: string;
  readonly exec: string;
  readonly enter: string;
  readonly starter: string;
  readonly pull: string;
}

/**
 * The name holds a hash of the text: a shell reads its script bit by bit, so a file in use must never change. One that is there is
 * kept: an agent starts on a full disk too, which is the only way to get it free.
 */
export async function installScripts(folder: string): Promise<Scripts> {
  const install = async (name: string, text: string): Promise<string> => {
    const hash = createHash("sha256").update(text).digest("hex").slice(0, 12);
    const path = join(folder, `${name}-${hash}.${text === ENTER ? "pl" : "sh"}`);
    if (await isInstalled(path, text)) return path;
    // A rename puts a file in the place of anything but a folder.
    if (isFolder(path)) await removeTree(path);
    await writeFileAtomic(path, text, { mode: MODE });
    return path;
  };
  const [shim, inner, exec, enter, starter, pull] = await Promise.all([
    install("shim", SHIM),
    install("inner", INNER),
    install("exec", EXEC),
    install("enter", ENTER),
    install("starter", STARTER),
    install("pull", PULL),
  ]);
  return { shim, inner, exec, enter, starter, pull };
}

async function isInstalled(path: string, text: string): Promise<boolean> {
  try {
    const found = await lstat(path);
    const isOwn = found.isFile() && found.uid === process.getuid?.() && (found.mode & 0o777) === MODE;
    return isOwn && (await readFile(path, "utf8")) === text;
  } catch {
    // Writing it tells what is wrong.
    return false;
  }
}

function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
