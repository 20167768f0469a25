// Run as root in a PID namespace of its own: a process ends and its pid goes to another one while a signal for it is under way.
// Arguments: the built module of signals, a folder, and the system call before which the sender stands still ("424"), or "look" for the
// moment before it has begun. Prints what became of the signal and of the stranger.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { systemClock } from "@hooklet/utils";

const [module, folder, moment] = process.argv.slice(2);
const { Signals } = await import(pathToFileURL(module).href);
const { identify } = await import(pathToFileURL(path.join(path.dirname(module), "process-identity.js")).href);

const reached = path.join(folder, "reached");
const go = path.join(folder, "go");

/** A perl that stands still before the system call, until it may go on. */
writeFileSync(
  path.join(folder, "Still.pm"),
  `package Still;
sub import {}
BEGIN { *CORE::GLOBAL::syscall = sub {
  my ($number, @rest) = @_;
  if ($number == ${Number(moment)}) {
    open(my $file, ">", "${reached}"); close $file;
    select(undef, undef, undef, 0.01) until -e "${go}";
  }
  return @rest == 2 ? CORE::syscall($number, $rest[0], $rest[1]) : CORE::syscall($number, $rest[0], $rest[1], $rest[2], $rest[3]);
} }
1;
`,
);
writeFileSync(path.join(folder, "perl"), `#!/bin/sh\nexec /usr/bin/perl -I${folder} -MStill "$@"\n`);
chmodSync(path.join(folder, "perl"), 0o755);
process.env.PATH = `${folder}:${process.env.PATH}`;

const target = spawn("sleep", ["300"]);
const who = identify(target.pid);
// The start times that the kernel tells are hundredths of a second.
await sleep(50);
const signals = new Signals(systemClock);
const sent = signals.send(who, 9);
while (!existsSync(reached)) await sleep(5);
target.kill("SIGKILL");
await once(target, "exit");

let stranger;
for (let tries = 0; stranger?.pid !== target.pid; tries++) {
  if (tries > 100) throw new Error(`no other process was given pid ${target.pid}`);
  stranger?.kill("SIGKILL");
  writeFileSync("/proc/sys/kernel/ns_last_pid", String(target.pid - 1));
  stranger = spawn("sleep", ["300"]);
}
writeFileSync(go, "");
const answer = await sent;
await sleep(200);
process.stdout.write(JSON.stringify({ answer, survived: stranger.exitCode === null && stranger.signalCode === null }));
stranger.kill("SIGKILL");
signals.close();
