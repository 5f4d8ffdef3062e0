// Numbers for people.

const UNITS = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];

/** 1.50 GiB: three digits, in powers of 1024. */
export function bytes(count: number): string {
  let value = count;
  let unit = 0;
  while (Math.abs(value) >= 1024 && unit < UNITS.length - 1) {
    value /= 1024;
    unit += 1;
  }
  const digits = unit === 0 || Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return `${value.toFixed(digits)} ${UNITS[unit]}`;
}

export function count(value: number): string {
  return value.toLocaleString("en");
}

/** A time in nanoseconds, with digits that tell moments apart that are `step` from each other. */
export function time(nanoseconds: number, step = 0): string {
  const span = Math.abs(nanoseconds);
  const [unit, name] = span >= 1e9 ? [1e9, "s"] : span >= 1e6 ? [1e6, "ms"] : span >= 1e3 ? [1e3, "µs"] : [1, "ns"];
  const digits = step > 0 ? Math.min(9, Math.max(0, Math.ceil(Math.log10(unit / step)))) : unit === 1 ? 0 : 3;
  return `${(nanoseconds / unit).toFixed(unit === 1 ? 0 : digits)} ${name}`;
}

export function part(value: number, whole: number): string {
  return whole > 0 ? `${((100 * value) / whole).toFixed(1)} %` : "";
}
