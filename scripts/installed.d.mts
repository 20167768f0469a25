/** For its tests, which are TypeScript. */
export function isInstalled(root: string): boolean;
export function installedText(root: string): string;
