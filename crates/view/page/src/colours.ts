// Colours that people with any colour vision can tell apart (after Okabe and Ito), for both themes.

const STREAMS = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#b8a900", "#7a6ff0"];
const FLAMES = ["#f4a261", "#e9c46a", "#f6bd60", "#f28482", "#e5989b", "#ffb703"];

export function stream(place: number): string {
  return STREAMS[place % STREAMS.length] ?? "#888";
}

/** The same name has the same colour everywhere. */
export function flame(name: string): string {
  let sum = 0;
  for (let at = 0; at < name.length; at += 1) sum = (sum * 31 + name.charCodeAt(at)) >>> 0;
  return FLAMES[sum % FLAMES.length] ?? "#f4a261";
}

const themed = new Map<string, string>();

/** A colour of the theme. Asking the browser takes longer than drawing, so it is asked once. */
export function theme(name: string): string {
  let value = themed.get(name);
  if (value === undefined) {
    value = getComputedStyle(document.documentElement).getPropertyValue(name).trim();
    themed.set(name, value);
  }
  return value;
}

/** To be called when the theme changes. */
export function forget(): void {
  themed.clear();
}
