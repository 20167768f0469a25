/** @throws NodeAgentError SEVERAL_CORES naming the folder of each copy that this process has loaded */
export declare function requireOneCore(loaded?: ReadonlySet<string>): void;
