const DAYS = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** An RFC 3339 time as Go's RFC1123Z in UTC: `Sat, 21 Nov 2026 09:54:23 +0000`. */
export function rfc1123(time: string): string {
  const at = new Date(Date.parse(time));
  const date = `${pad(at.getUTCDate())} ${MONTHS[at.getUTCMonth()]} ${at.getUTCFullYear()}`;
  return `${DAYS[at.getUTCDay()]}, ${date} ${[at.getUTCHours(), at.getUTCMinutes(), at.getUTCSeconds()].map(pad).join(":")} +0000`;
}

function pad(value: number): string {
  return String(value).padStart(2, "0");
}
