/** Numbers with their units and times, in the viewer's locale. What is not known is a dash. */

const UNKNOWN = '–';
/** Keeps a number and its unit on one line. */
const GLUE = '\u00a0';
const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const withDigits = [0, 1, 2].map(
  (digits) =>
    new Intl.NumberFormat(undefined, { minimumFractionDigits: digits, maximumFractionDigits: digits }),
);
const twoDigits = new Intl.NumberFormat(undefined, { maximumSignificantDigits: 2 });
const percentage = new Intl.NumberFormat(undefined, { style: 'percent', maximumFractionDigits: 0 });
const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });
const calendar = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });

const isKnown = (value) => typeof value === 'number' && Number.isFinite(value);

/** Three digits that mean something, or two of what is small: most tasks that run on the main thread take microseconds. */
function short(value) {
  const size = Math.abs(value);
  if (size < 0.0995 && size > 0) return twoDigits.format(value);
  if (Number.isInteger(value) || size >= 99.95) return withDigits[0].format(value);
  return withDigits[size >= 9.995 ? 1 : 2].format(value);
}

export function count(value) {
  return isKnown(value) ? withDigits[0].format(value) : UNKNOWN;
}

/** `2 tasks`, `1 task`. */
export function counted(value, one, many = `${one}s`) {
  return `${count(value)}${GLUE}${value === 1 ? one : many}`;
}

export function percent(ratio) {
  return isKnown(ratio) ? percentage.format(ratio) : UNKNOWN;
}

export function rate(perSecond) {
  return isKnown(perSecond) ? `${short(perSecond)}${GLUE}tasks/s` : UNKNOWN;
}

export function duration(ms) {
  if (!isKnown(ms)) return UNKNOWN;
  if (ms < 999.5) return `${short(ms)}${GLUE}ms`;
  if (ms < MINUTE) return `${short(ms / SECOND)}${GLUE}s`;
  if (ms < HOUR) return twoUnits(ms, MINUTE, 'min', SECOND, 's');
  if (ms < DAY) return twoUnits(ms, HOUR, 'h', MINUTE, 'min');
  return twoUnits(ms, DAY, 'd', HOUR, 'h');
}

const thousandths = new Intl.NumberFormat(undefined, { maximumFractionDigits: 3 });

/** A duration on an axis: in one unit, however long it is. */
export function milliseconds(ms) {
  return `${thousandths.format(ms)}${GLUE}ms`;
}

function twoUnits(ms, large, largeName, small, smallName) {
  const whole = Math.floor(ms / large);
  const rest = Math.floor((ms - whole * large) / small);
  return `${count(whole)}${GLUE}${largeName}${GLUE}${count(rest)}${GLUE}${smallName}`;
}

/** One of a distribution in which there may be nothing, or that may not be known. */
export function quantile(distribution, name) {
  return distribution?.count > 0 ? duration(distribution[name]) : UNKNOWN;
}

/** A span in which fractions of a second mean nothing. */
export function span(ms) {
  return isKnown(ms) ? duration(Math.round(ms / SECOND) * SECOND).replace(/^0.ms$/, `0${GLUE}s`) : UNKNOWN;
}

export function bytes(value) {
  if (!isKnown(value)) return UNKNOWN;
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let scaled = value;
  let unit = 0;
  while (scaled >= 1000 && unit < units.length - 1) {
    scaled /= 1024;
    unit++;
  }
  return `${short(scaled)}${GLUE}${units[unit]}`;
}

/** The time of day; with the date where it is not today's. */
export function time(epochMs, now = Date.now()) {
  if (!isKnown(epochMs)) return UNKNOWN;
  const isToday = new Date(epochMs).toDateString() === new Date(now).toDateString();
  return (isToday ? clock : calendar).format(epochMs);
}

/** Of an error as the server describes it. */
export function errorText(error) {
  if (typeof error !== 'object' || error === null) return String(error);
  const { name = 'Error', message = '', code } = error;
  return `${name}${typeof code === 'string' ? ` [${code}]` : ''}: ${message}`;
}
