/**
 * Signals to processes that are not our children: their pid may be reused at any moment. Node has no call for pidfds; perl, which
 * every Debian and most other systems have, has one for any call. Without perl, or on a kernel below 5.3, the start time is
 * checked right before the signal, and one system call stays between them.
 */
import { type ChildProcess, spawn } from "node:child_process";
import type { Socket } from "node:net";
import { type Clock, errno, type Timer, unless, withDeadline } from "@hooklet/utils";
import { checkPid } from "../bounded.js";
import { isAlive, type ProcessIdentity } from "./process-identity.js";

/** Milliseconds for an answer, on a machine that is busy. */
const DEADLINE = 10_000;
/** Milliseconds that a helper without work is kept. */
const IDLE = 60_000;

/**
 * Reads "pid start signal" a line, answers "sent", "gone", "without" (no pidfds here) or an errno. The descriptor holds the process:
 * a reused pid is not hit, and a process with another start time is not the target. 434 and 424 are
 * pidfd_open(2) and pidfd_send_signal(2) wherever Node runs; 3 is ESRCH, 22 what the pid of a mere thread gives.
 */
const HELPER = `
$| = 1;
while (my $line = <STDIN>) {
  my ($pid, $start, $signal) = split " ", $line;
  print answer($pid + 0, $start, $signal + 0), "\\n";
}
sub answer {
  my ($pid, $start, $signal) = @_;
  my $descriptor = syscall(434, $pid, 0);
  return $! == 3 || $! == 22 ? "gone" : "without" if $descriptor < 0;
  open(my $held, "<&=", $descriptor) or return "without";
  open(my $file, "<", "/proc/$pid/stat") or return "gone";
  my $stat = do { local $/; <$file> };
  my ($state, $began) = (split " ", substr($stat, rindex($stat, ")") + 1))[0, 19];
  return "gone" if $state =~ /[ZX]/ || $began ne $start;
  return "sent" if syscall(424, $descriptor, $signal, 0, 0) == 0;
  return $! == 3 ? "gone" : $! == 38 ? "without" : $! + 0;
}
`;

/** The name of an errno that forbids the signal; a number otherwise. */
const NAMES: Readonly<Record<string, string>> = { "1": "EPERM", "22": "EINVAL" };

interface Helper {
  readonly child: ChildProcess;
  /** Callers that wait for an answer, in order. */
  readonly waiting: ((answer: string) => void)[];
}

export class Signals {
  #helper: Helper | undefined;
  #idle: Timer | undefined;
  /** Nothing here can hold a process: no perl, or an old kernel. */
  #without = false;

  constructor(private readonly clock: Clock) {}

  /**
   * Sends a signal to exactly this process; false when it is gone. The only way to signal a process that is not our child.
   * @throws Error with `code` EPERM
   */
  async send(target: ProcessIdentity, signal: number): Promise<boolean> {
    checkPid(target.pid);
    const answer = this.#without ? "without" : await this.#ask(`${target.pid} ${target.startTicks} ${signal}\n`);
    if (answer === "sent") return true;
    if (answer === "gone") return false;
    if (answer === "without") this.#without = true;
    if (answer === "without" || answer === "") return isAlive(target) && sendByPid(target.pid, signal);
    const code = NAMES[answer] ?? answer;
    throw Object.assign(new Error(`${target.pid}: kill ${code}`), { code });
  }

  /** May be called twice; a later signal starts a new helper. */
  close(): void {
    this.#idle?.cancel();
    const helper = this.#helper;
    this.#helper = undefined;
    helper?.child.stdin?.end();
  }

  /** "" when the helper ended or hung before it answered. */
  async #ask(line: string): Promise<string> {
    this.#idle?.cancel();
    this.#helper ??= this.#start();
    const helper = this.#helper;
    const answered = new Promise<string>((resolve) => helper.waiting.push(resolve));
    keepAlive(helper.child, true);
    helper.child.stdin?.write(line);
    const answer = await withDeadline(this.clock, DEADLINE, answered, () => new Error("late")).catch(() => "");
    if (answer === "" && this.#helper === helper) {
      this.#helper = undefined;
      helper.child.kill("SIGKILL");
    }
    if (helper.waiting.length === 0) {
      keepAlive(helper.child, false);
      this.#idle?.cancel();
      this.#idle = this.#helper === undefined ? undefined : this.clock.schedule(IDLE, () => this.close());
    }
    return answer;
  }

  #start(): Helper {
    const child = spawn("perl", ["-e", HELPER], {
      cwd: "/",
      env: { PATH: process.env.PATH, LC_ALL: "C" },
      stdio: ["pipe", "pipe", "ignore"],
      // Ctrl-C on a terminal is for the agent, which still has pods to stop.
      detached: true,
    });
    const helper: Helper = { child, waiting: [] };
    const gone = (answer: string): void => {
      if (this.#helper === helper) this.#helper = undefined;
      for (const tell of helper.waiting.splice(0)) tell(answer);
    };
    child.once("error", (error) => gone(errno(error) === "ENOENT" ? "without" : ""));
    child.once("exit", () => gone(""));
    // It ended: that is handled above.
    child.stdin?.on("error", () => undefined);
    let text = "";
    child.stdout?.setEncoding("latin1");
    child.stdout?.on("data", (piece: string) => {
      const lines = (text + piece).split("\n");
      text = lines.pop() ?? "";
      for (const line of lines) helper.waiting.shift()?.(line);
    });
    child.unref();
    (child.stdin as Socket | null)?.unref();
    return helper;
  }
}

/** Only pending answers keep this process from ending. */
function keepAlive({ stdout }: ChildProcess, yes: boolean): void {
  const pipe = stdout as Socket | null;
  if (yes) pipe?.ref();
  else pipe?.unref();
}

function sendByPid(pid: number, signal: number): boolean {
  return unless(["ESRCH"], false, () => process.kill(pid, signal));
}
