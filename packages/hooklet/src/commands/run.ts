import { join } from "node:path";
import { type Io, printLine, tell } from "@hooklet/cli/extend";
import { eventLine, millisecondsOf, podTable, severalNamespaces, troubleLines } from "@hooklet/cli/print";
import { defaultRootDir } from "@hooklet/core/base";
import { type Agent, type AgentConfig, AUDIT_REASON } from "@hooklet/core/host";
import { closeInheritedDescriptors } from "@hooklet/linux";
import { hasEnded, type Pod } from "@hooklet/manifest";
import type { BoundServers } from "@hooklet/server";
import { type Clock, errorText, sleep, unsupported } from "@hooklet/utils";
import type { AgentContext } from "../agent-context.js";
import { bootAgent } from "../run/boot.js";
import { contextConfig, portNumber } from "../run/boot-config.js";
import { lastLogLinesInside } from "../run/last-log-lines.js";
import { LiveView } from "../run/live-view.js";
import { Lives } from "../run/lives.js";
import { createLogger, type LogFormat, TROUBLES_AND_CHANGES } from "../run/logger.js";
import { allSettled, failures } from "../run/once.js";
import { exportsFor, shellIn } from "../run/other-terminal.js";
import { Reload } from "../run/reload.js";
import { isSettled } from "../run/settled.js";
import { type Ending, listenForSignals, type Signals, type Stopping, stopPods } from "../run/stopping.js";
import { UnreadOutput } from "../run/unread.js";

export interface RunOptions {
  readonly config?: string;
  readonly manifests?: string;
  readonly runtime?: string;
  readonly nodeName?: string;
  readonly kubeconfig?: string;
  readonly bootstrapKubeconfig?: string;
  readonly trustSudoUser?: boolean;
  readonly port?: string;
  readonly once?: boolean;
  readonly timeout?: string;
  readonly logFormat?: LogFormat;
  readonly logLevel?: string;
}

/** Of each container that failed. */
const LAST_LINES = 10;

/** How long the agent may take to end after a second Ctrl-C, milliseconds. */
const STOP_PATIENCE = 2_000;

/** How long an agent that ends after an uncaught error may take, milliseconds. */
const DEAD_PATIENCE = 15_000;

interface Running {
  readonly agent: Agent;
  readonly servers: BoundServers;
  readonly config: AgentConfig;
  readonly live: LiveView | undefined;
  killAll(): Promise<void>;
  say(text: string): void;
}

/** `hooklet run`: the agent in the foreground. */
export async function run(context: AgentContext, options: RunOptions): Promise<number> {
  closeInheritedDescriptors();
  const { io } = context;
  const timeout = millisecondsOf(options.timeout ?? "120s", "--timeout");
  const port = options.port === undefined ? undefined : portNumber(options.port);
  const signals = listenForSignals(io);
  const lives = new Lives(io.clock, {
    exit: (code) => io.exit(code),
    say: (text) => void io.stderr.write(`${text}\n`),
  });
  const output = new UnreadOutput(io);
  const deaf = io.onUnforeseen((kind, error) => lives.heard(kind, error));
  let code = 1;
  const reload = new Reload(() => contextConfig(context, options, port));
  const frame: Frame = { reload, timeout, signals, lives, output };
  try {
    code = await allLives(context, options, frame);
    return code;
  } finally {
    await frame.former?.stop();
    deaf();
    signals.release();
    await output.end(code);
  }
}

async function allLives(context: AgentContext, options: RunOptions, frame: Frame): Promise<number> {
  for (;;) {
    const code = await life(context, options, frame);
    if (typeof code === "number") return code;
    if (code === "reload") frame.lives.asked();
    else if (!frame.lives.mayGoOn) {
      void tell(context.io, "error: too many unexpected errors within ten minutes; the pods keep running");
      return 1;
    }
  }
}

interface Frame {
  readonly reload: Reload;
  readonly timeout: number;
  readonly signals: Signals;
  readonly lives: Lives;
  readonly output: UnreadOutput;
  /** What the agent before listened on. */
  former?: BoundServers | undefined;
}

/** Why another agent follows the one that ended. */
type Follow = "died" | "reload";

/** One agent from start to end. */
async function life(context: AgentContext, options: RunOptions, frame: Frame): Promise<number | Follow> {
  const { io } = context;
  const { timeout, signals, lives, reload } = frame;
  const running = await startOrGoBack(context, options, frame);
  let follow: Follow | undefined;
  try {
    signals.booted();
    const died = lives.up().then((): Follow => "died");
    const over = Promise.race([died, reload.running(running.config)]).then((why) => {
      follow = why;
      return why;
    });
    if (options.once !== true) return await forever(io, running, signals, over);
    const work = once(io, running, signals, timeout);
    // What was under way for the agent that ended concerns nothing any more.
    work.catch(() => undefined);
    return await Promise.race([work, over]);
  } finally {
    running.live?.stop({ summary: follow === undefined });
    const { agent, servers } = running;
    if (follow === "reload") frame.former = servers;
    const closed = follow === "reload" ? servers.handOver() : servers.stop();
    const stopped = stopAgent(io, agent, closed, signals);
    // What is in pieces may not end by itself.
    await (follow === "died" ? Promise.race([stopped, sleep(io.clock, DEAD_PATIENCE)]) : stopped);
  }
}

/** A terminal of no size, as some CI gives it, has no space for a table. */
function showsTables({ stdout, env }: Io): boolean {
  return stdout.isTTY === true && stdout.columns !== 0 && stdout.rows !== 0 && env.TERM !== "dumb";
}

/** Where the agent is found, in a line. */
function aboutText({ version }: AgentContext, { api }: Agent, { socket, port, file }: AgentConfig): string {
  const http = port === 0 ? "" : ` | http://127.0.0.1:${port}`;
  return `hooklet ${version} on ${api.nodeName} | socket ${socket}${http} | ${file ?? "no rc file"}`;
}

/** An agent that does not start with a new configuration leaves its place to one with the former. */
async function startOrGoBack(context: AgentContext, options: RunOptions, frame: Frame): Promise<Running> {
  const { config, before } = await frame.reload.configs();
  try {
    return await start(context, options, frame, config);
  } catch (error) {
    if (before === undefined) throw error;
    const running = await start(context, options, frame, before);
    const outcome = `the agent did not start with the new configuration, and runs with the former one: ${errorText(error)}`;
    running.agent.api.audit({ what: "reload", outcome, ok: false, isSession: false });
    return running;
  }
}

async function start(context: AgentContext, options: RunOptions, frame: Frame, config: AgentConfig): Promise<Running> {
  const { reload, lives, signals, output } = frame;
  const { io } = context;
  const { interrupt } = signals;
  const onTerminal = showsTables(io) && options.logFormat === undefined;
  let live: LiveView | undefined;
  const line = (text: string): void => {
    if (live !== undefined && io.stderr.isTTY === true) live.print(text);
    else output.log(text);
  };
  // On a terminal the table shows what goes on.
  const level = options.logLevel ?? (onTerminal ? TROUBLES_AND_CHANGES : "info");
  const log = await createLogger(io, options.logFormat ?? "text", level, line);
  output.tellLost = (lines) => log.warn(`${lines} lines of the log are missing here: the reader was too slow`);
  const isOnce = options.once === true;
  const { former } = frame;
  frame.former = undefined;
  const { agent, servers, killAll } = await bootAgent(context, {
    config,
    log,
    former,
    reload: async () => {
      if (isOnce) throw unsupported("an agent with --once cannot reload its configuration", "Start it again.");
      await reload.request();
    },
    living: (agent) => lives.begin(agent),
  });
  signals.onReload(() => {
    agent.api.reload().then(
      () => log.info("SIGHUP: the agent restarts with the current configuration; its pods run on"),
      (error: unknown) => {
        // A line for each fault.
        for (const line of errorText(error).split("\n")) log.error(`SIGHUP: ${line.trim()}`);
      },
    );
  });
  if (onTerminal) {
    const defaultSocket = join(defaultRootDir(process.geteuid?.() ?? -1, io.env), "hooklet.sock");
    const where = { socket: config.socket, defaultSocket, program: process.argv[1] ?? "" };
    const exports = exportsFor(io, where);
    live = new LiveView({
      io,
      api: agent.api,
      about: aboutText(context, agent, config),
      exports,
      shell: (pod) => shellIn(pod, where),
      interrupt,
    });
    live.start();
  } else {
    log.info({ node: agent.api.nodeName, socket: config.socket, port: config.port }, "The agent runs");
    const tell = (event: ReturnType<typeof agent.api.events>[number]): void => {
      const { reason, count, involvedObject } = event;
      // It has a line of its own already.
      if (reason === AUDIT_REASON) return;
      log[event.type === "Warning" ? "warn" : "info"]({ event: { reason, count, involvedObject } }, eventLine(event));
    };
    for (const event of agent.api.events()) tell(event);
    agent.api.watchEvents(tell);
  }
  const say = (text: string): void => {
    if (live === undefined) log.info(text);
    else live.notice = text;
  };
  return { agent, servers, config, live, killAll, say };
}

/** Waits for what is under way, unless a second Ctrl-C says not to. */
async function stopAgent({ clock }: Io, agent: Agent, closed: Promise<void>, signals: Signals): Promise<void> {
  const stopped = closed.then(() => agent.stop());
  await Promise.race([stopped, outOfPatience(signals, clock)]);
}

/** A function of its own: what a signal's promise calls lives as long as the process, and would keep every agent that ended. */
function outOfPatience({ second }: Signals, clock: Clock): Promise<void> {
  return second.then(() => sleep(clock, STOP_PATIENCE));
}

async function forever(io: Io, running: Running, signals: Signals, over: Promise<Follow>): Promise<number | Follow> {
  const ending = await Promise.race([signals.first, over]);
  return typeof ending === "string" ? ending : end(io, running, signals, ending);
}

async function once(io: Io, running: Running, signals: Signals, timeout: number): Promise<number> {
  const { agent, live } = running;
  const given = new AbortController();
  const ending = signals.first.then((first) => {
    given.abort(first);
    return first;
  });
  const outcome = await Promise.race([
    allSettled(agent.api, io.clock, timeout, given.signal).catch((error: unknown) => {
      if (given.signal.aborted) return ending;
      throw error;
    }),
    ending,
  ]);
  if (outcome.kind !== "settled" && outcome.kind !== "timeout") return end(io, running, signals, { kind: "interrupt" });
  const faults = failures(agent.api);
  const pods = agent.api.pods();
  const namespaces = severalNamespaces(pods);
  const table = podTable(pods, { wide: false, namespaces, now: io.clock.now() });
  // Before the pods are stopped: their logs go with them.
  const whys = await whysOf(io, agent, outcome.kind === "timeout" ? pods.filter((pod) => !isSettled(pod)) : []);
  live?.stop({ summary: false });
  if (pods.length === 0) await tell(io, "No resources found.");
  else await printLine(io.stdout, table);
  const stopped = await stopPods(
    { ...stopping(io, running), say: () => undefined },
    ending.then(() => undefined),
  );
  if (outcome.kind === "timeout") {
    await tell(io, `error: not ready after ${timeout / 1000} s: ${outcome.waitingFor.join(", ")}`);
  }
  for (const fault of faults) await tell(io, `error: ${fault}`);
  for (const why of whys) await tell(io, why);
  return outcome.kind === "settled" && faults.length === 0 && stopped ? 0 : 1;
}

/** Lines on each pod that failed or did not come to where it was to come: why, and what its containers said last. */
async function whysOf({ clock }: Io, { api }: Agent, late: readonly Pod[]): Promise<readonly string[]> {
  const failed = api.pods().filter(({ status }) => status?.phase === "Failed");
  const lastLogLines = lastLogLinesInside(api, clock);
  const whys = [...failed, ...late].map(async (pod) => {
    const lines = await troubleLines(pod, lastLogLines, LAST_LINES);
    return lines.length === 0 ? [] : [`pod ${pod.metadata.name}:`, ...lines.map((line) => `  ${line}`)];
  });
  return (await Promise.all(whys)).flat();
}

async function end(io: Io, running: Running, signals: Signals, ending: Ending): Promise<number> {
  if (ending.kind === "terminate") {
    const isEmpty = running.agent.api.pods().every(hasEnded);
    running.say(isEmpty ? "The agent ends; none of its pods runs." : "The agent ends; its pods run on.");
    const stay = isEmpty ? "no pod ran" : "the pods run on, and the next agent takes them over";
    running.live?.stop({ closing: `The agent has ended; ${stay}.` });
    return 0;
  }
  // Nothing can be drawn where there is no terminal any more.
  if (ending.kind === "hangup") running.live?.stop();
  running.live?.remember();
  const inOrder = await stopPods(stopping(io, running), signals.second);
  const closing = inOrder ? "All of them are stopped." : "What did not stop in time was killed.";
  if (running.live === undefined)
    running.say(
      inOrder ? "All pods have stopped; the agent ends." : "What did not stop in time was killed; the agent ends.",
    );
  running.live?.stop({ closing });
  return ending.kind === "hangup" ? 129 : inOrder ? 0 : 130;
}

function stopping(io: Io, { agent, killAll, say }: Running): Stopping {
  return { io, api: agent.api, shutdown: (grace?: number) => agent.shutdown(grace), killAll, say };
}
