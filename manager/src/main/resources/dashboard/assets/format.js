// Formats figures and times. Does not touch the page.

const whole = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });

/** A count with thousands separators. */
export function count(value) {
  return value == null ? "–" : whole.format(value);
}

/** A rate per second with as many digits as are significant. */
export function rate(value) {
  if (value == null) return "–";
  if (value === 0) return "0/s";
  const digits = value < 10 ? 2 : value < 100 ? 1 : 0;
  return value.toLocaleString("en-US", { maximumFractionDigits: digits }) + "/s";
}

/** Seconds as 340 ms, 4.2 s, 3m 10s, 2h 5m or 3d 4h. */
export function seconds(value) {
  if (value == null) return "–";
  if (value === 0) return "0 s";
  if (value < 1) return Math.round(value * 1000) + " ms";
  if (value < 10) return value.toFixed(1) + " s";
  const s = Math.round(value);
  if (s < 60) return s + " s";
  if (s < 3600) return Math.floor(s / 60) + "m " + (s % 60) + "s";
  if (s < 86400) return Math.floor(s / 3600) + "h " + Math.floor((s % 3600) / 60) + "m";
  return Math.floor(s / 86400) + "d " + Math.floor((s % 86400) / 3600) + "h";
}

const units = ["B", "KB", "MB", "GB", "TB"];

/** A size to one decimal of its largest unit: 0B, 512MB, 10.6GB; as Sizes.readable of the server writes it. */
export function bytes(value) {
  if (value == null) return "–";
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit++;
  }
  return value.toFixed(1).replace(/\.0$/, "") + units[unit];
}

/** Seconds between two ISO instants; null when one is missing. */
export function between(from, to) {
  return from && to ? Math.max(0, (Date.parse(to) - Date.parse(from)) / 1000) : null;
}

/** A local time of day, with the date when it is not today's. */
export function clock(iso) {
  if (!iso) return "–";
  const at = new Date(iso);
  const time = at.toLocaleTimeString([], { hour12: false });
  return at.toDateString() === new Date().toDateString() ? time : at.toLocaleDateString() + " " + time;
}

/** A share 0..1 in percent. */
export function percent(value) {
  return value == null ? "–" : Math.round(value * 100) + " %";
}

/** Whether operators have taken a node out of service; of a lost one known by the order's end or reason. */
export function ordered({ status, statusUntil, statusReason }) {
  return ["DRAINING", "DRAINED", "MAINTENANCE"].includes(status) || (status === "LOST" && Boolean(statusUntil || statusReason));
}

/** Whether the latest attempt of a job has not ended. */
export const atWork = ({ state }) => state === "PLACED" || state === "RUNNING";

/** How an attempt or a job ended, in a word or two; empty before its end. */
export function ending(job) {
  if (job.signal != null) return "signal " + job.signal;
  if (job.exitCode != null) return "exit " + job.exitCode;
  return job.outcome ? job.outcome.toLowerCase().replace("_", " ") : "";
}

const plain = /^[A-Za-z0-9_@%+=:,./-]+$/;

/** Arguments as one line that a shell would split into them again. */
export function commandLine(words) {
  return words.map((word) => plain.test(word) ? word : "'" + word.replaceAll("'", "'\\''") + "'").join(" ");
}

/** Why nobody knows when the waiting events of a queue will be done; null if it is known. */
export function endless(queue) {
  if (queue.control?.consumingPaused) return "paused";
  if (queue.secondsToEmpty != null) return null;
  // The rate of arrivals of before says nothing when no events are accepted.
  const closed = queue.deleting || queue.control?.sendingPaused;
  return !closed && queue.eventRate > queue.doneRate ? "backlog growing" : "no progress";
}
