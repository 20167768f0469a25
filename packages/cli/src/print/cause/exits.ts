/** Why a container ended. Pure. */
import { allContainers, namespacedName, type Pod } from "@hooklet/manifest";
import type { ContainerStateTerminated, ContainerStatus, Event } from "kubernetes-types/core/v1.js";
import {
  type Cause,
  type CauseFacts,
  changed,
  isStatic,
  logsCommand,
  newestWarning,
  sentence,
  startAnew,
} from "./facts.js";

/** @param ended the end that is described: the current one, or the one before the last start */
export function endedCause(facts: CauseFacts, status: ContainerStatus, ended: ContainerStateTerminated): Cause {
  const { pod, logs } = facts;
  const { name } = status;
  const lines = logs.get(name) ?? [];
  const message = ended.message?.trim() ?? "";
  return (
    memoryCause(pod, name, ended) ??
    startCause(pod, name, ended, message) ??
    hookCause(facts, name, ended) ??
    livenessCause(facts, name, ended) ??
    portCause(facts, name, [message, ...lines]) ??
    plainCause(pod, status, ended, telling(message === "" ? lines : message.split("\n")))
  );
}

function memoryCause(pod: Pod, name: string, { reason }: ContainerStateTerminated): Cause | undefined {
  if (reason !== "OOMKilled") return undefined;
  const limit = allContainers(pod).find((container) => container.name === name)?.resources?.limits?.memory;
  return limit === undefined
    ? {
        cause: `Container ${name} was killed because memory ran out (OOMKilled); it has no limit of its own.`,
        next: `Let it use less memory, or give the pod or the node more; hooklet top pods shows who uses what.`,
      }
    : {
        cause: `Container ${name} was killed because it used more than its memory limit of ${limit} (OOMKilled).`,
        next: `Let it use less memory, or raise resources.limits.memory ${changed(pod)}.`,
      };
}

/** The program never ran. */
function startCause(
  pod: Pod,
  name: string,
  { reason, exitCode }: ContainerStateTerminated,
  message: string,
): Cause | undefined {
  if (reason !== "StartError" && reason !== "ContainerCannotRun") return undefined;
  const program = /exec: "([^"]+)"/.exec(message)?.[1];
  const correct = `Correct the container's command ${changed(pod)}`;
  if (program !== undefined && /no such file|not found/.test(message))
    return {
      cause: `Container ${name} cannot start: its image has no program ${program}.`,
      next: `${correct}, or use an image that has it.`,
    };
  if (program !== undefined && /permission denied/.test(message))
    return {
      cause: `Container ${name} cannot start: ${program} may not be executed.`,
      next: `Make the file executable (chmod +x) in the image, or correct the container's command.`,
    };
  const cause = sentence(`Container ${name} cannot start: ${firstLine(message) || `exit code ${exitCode}`}`);
  if (program !== undefined) return { cause, next: `${correct}.` };
  const again =
    pod.status?.phase === "Failed"
      ? startAnew(pod).replace(/^then /, "")
      : "the node tries again by itself; if a mount in the manifest cannot work, change it there";
  return { cause, next: `The set-up failed, not the container's command: ${again}.` };
}

/** Of a set-up, which may report each of many mounts. */
function firstLine(message: string): string {
  const lines = message.split("\n").filter((line) => line.trim() !== "");
  const [first = ""] = lines;
  return lines.length > 1 ? `${first.trim().replace(/\.$/, "")} (and ${lines.length - 1} more below)` : first.trim();
}

function hookCause({ pod, events }: CauseFacts, name: string, ended: ContainerStateTerminated): Cause | undefined {
  const found = events.findLast((event) => event.reason === "FailedPostStartHook" && isOfRun(event, name, ended));
  if (found === undefined) return undefined;
  return {
    cause: `The postStart hook of container ${name} failed, so the container was stopped.`,
    next: `Correct lifecycle.postStart ${changed(pod)}.`,
  };
}

const PROBE = /failed (liveness|startup) probe/;

function livenessCause(facts: CauseFacts, name: string, ended: ContainerStateTerminated): Cause | undefined {
  const { pod, events } = facts;
  const killed = events.findLast(
    (event) => event.reason === "Killing" && PROBE.test(event.message ?? "") && isOfRun(event, name, ended),
  );
  const which = PROBE.exec(killed?.message ?? "")?.[1];
  if (which === undefined) return undefined;
  const title = which === "liveness" ? "Liveness" : "Startup";
  const said = newestWarning(facts, ["Unhealthy"], `${title} probe`)?.replace(
    /^\w+ probe (?:failed|errored)[^:]*: ?/,
    "",
  );
  return {
    cause: sentence(`Container ${name} is restarted because its ${which} probe fails${said ? `: ${said}` : ""}`),
    next: `Let the program answer the probe, or change ${which}Probe ${changed(pod)}.`,
  };
}

/** Not of an earlier run of the container, which may have ended by something else. */
function isOfRun(
  { involvedObject, lastTimestamp }: Event,
  name: string,
  { startedAt }: ContainerStateTerminated,
): boolean {
  const isAbout = involvedObject.fieldPath?.includes(`{${name}}`) ?? false;
  return isAbout && (startedAt === undefined || Date.parse(lastTimestamp ?? "") >= Date.parse(startedAt));
}

const IN_USE = /EADDRINUSE|address already in use|port is already (?:allocated|in use)/i;

/** The last one of a line: times of a log come first. */
const PORT = /:(\d{2,5})\b(?!.*:\d{2,5}\b)/;

/** Which port, and which pod has it. */
function portCause({ pod, pods }: CauseFacts, name: string, lines: readonly string[]): Cause | undefined {
  const said = lines.filter((line) => IN_USE.test(line));
  if (said.length === 0) return undefined;
  const written = said.flatMap((line) => PORT.exec(line)?.[1] ?? []).at(-1);
  const own = allContainers(pod).find((container) => container.name === name);
  const port = written === undefined ? own?.ports?.[0]?.containerPort : Number(written);
  const holder =
    port === undefined
      ? undefined
      : pods.find(
          (other) => isRunning(other) && other.metadata.uid !== pod.metadata.uid && portsOf(other).includes(port),
        );
  const where = port === undefined ? "A port that it listens on" : `Port ${port}`;
  const by = holder === undefined ? "" : ` by pod ${namespacedName(holder.metadata)}`;
  const find = port === undefined ? "ss -ltnp" : `ss -ltnp 'sport = :${port}'`;
  return {
    cause: `${where} is in use${by}, so container ${name} ends with an error.`,
    next:
      holder === undefined
        ? `Choose another port ${changed(pod)}, or end the process that has it (${find} names it).`
        : `Choose another port ${changed(pod)}, or delete that pod.`,
  };
}

function isRunning({ status }: Pod): boolean {
  return status?.phase === "Running";
}

function portsOf(pod: Pod): readonly number[] {
  return allContainers(pod).flatMap(({ ports = [], env = [] }) => [
    ...ports.flatMap(({ containerPort, hostPort }) => [containerPort, ...(hostPort === undefined ? [] : [hostPort])]),
    ...env.flatMap(({ name, value }) => (/PORT$/.test(name) && value !== undefined ? [Number(value)] : [])),
  ]);
}

const SIGNALS: Readonly<Record<number, string>> = {
  130: "was interrupted (SIGINT)",
  134: "aborted itself (SIGABRT)",
  137: "was killed (SIGKILL)",
  139: "crashed with a memory fault (SIGSEGV)",
  143: "was stopped (SIGTERM)",
};

function plainCause(
  pod: Pod,
  { name }: ContainerStatus,
  ended: ContainerStateTerminated,
  said: string | undefined,
): Cause {
  const { exitCode, signal } = ended;
  const signalled = SIGNALS[signal ? 128 + signal : exitCode];
  const how = signalled === undefined ? `ends with exit code ${exitCode}` : signalled;
  const isOver = pod.status?.phase === "Failed";
  const init = pod.spec.initContainers?.some((container) => container.name === name) ? "Init container" : "Container";
  const isGone =
    pod.status?.containerStatuses?.some((one) => one.name === name && one.state?.running !== undefined) ?? false;
  const log = logsCommand(pod, name, isGone);
  if (exitCode === 0) {
    return {
      cause: sentence(
        `${init} ${name} ends with exit code 0, and restartPolicy ${pod.spec.restartPolicy ?? "Always"} starts it again`,
      ),
      next: `If it is a job, set restartPolicy to OnFailure or Never; if it is a server, it must not end: ${log} shows what it wrote.`,
    };
  }
  const again = isOver ? `, ${startAnew(pod)}` : isStatic(pod) ? "; a change of its manifest file restarts it" : "";
  return {
    cause: sentence(`${init} ${name} ${how}${said === undefined ? "" : `: ${said}`}`),
    next:
      said === undefined
        ? `It wrote nothing that tells why; read its log with ${log}${again}.`
        : `Fix that (the whole log: ${log})${again}.`,
  };
}

const TELLS = /error|exception|fatal|panic|cannot|can't|failed|denied|not found|no such|invalid|refused|missing/i;

/** Of what it wrote last, the line that says why. */
function telling(lines: readonly string[]): string | undefined {
  const full = lines.filter((line) => line.trim() !== "");
  return (full.findLast((line) => TELLS.test(line)) ?? full.at(-1))?.trim();
}
