/** For its tests, which are TypeScript. */
export function isInstalled(root: string): boolean;
