// Where answers come from: the server, or the file itself.

type Answer = unknown;

/** Answers that are kept; the oldest go first. */
const KEPT = 600;

export class Store {
  private readonly kept = new Map<string, Answer>();
  private readonly asked = new Set<string>();
  private readonly inside: Record<string, Answer> | null;
  /** Milliseconds of script that answers took since somebody asked. */
  private spent = 0;

  constructor(private readonly arrived: () => void) {
    const element = document.getElementById("answers");
    this.inside = element === null ? null : JSON.parse(element.textContent ?? "{}");
  }

  /** Whether this page is a file without a server. */
  get isFile(): boolean {
    return this.inside !== null;
  }

  /** Moments for which a file has the live blocks. */
  moments(run: number): number[] {
    const start = `moment/${run}/`;
    const keys = Object.keys(this.inside ?? {}).filter((key) => key.startsWith(start));
    return keys.map((key) => Number(key.slice(start.length))).sort((a, b) => a - b);
  }

  /** The answer if it is here. If not, it is asked for, and `arrived` is called when it comes. */
  now<T>(question: string): T | null {
    const kept = this.kept.get(question);
    if (kept !== undefined) {
      // Used again: it becomes the youngest.
      this.kept.delete(question);
      this.kept.set(question, kept);
      return kept as T;
    }
    void this.ask(question);
    return null;
  }

  /** The answer, or null if there is none. */
  async ask<T>(question: string): Promise<T | null> {
    if (this.inside !== null) {
      return (this.inside[question] as T | undefined) ?? null;
    }
    const kept = this.kept.get(question);
    if (kept !== undefined) return kept as T;
    if (this.asked.has(question)) return null;
    this.asked.add(question);
    try {
      const response = await fetch(`data/${question}`);
      if (!response.ok) return null;
      const text = await response.text();
      const began = performance.now();
      const answer = JSON.parse(text) as T;
      this.spent += performance.now() - began;
      this.kept.set(question, answer);
      if (this.kept.size > KEPT) {
        const oldest = this.kept.keys().next().value;
        if (oldest !== undefined) this.kept.delete(oldest);
      }
      return answer;
    } finally {
      this.asked.delete(question);
      this.arrived();
    }
  }

  /** Milliseconds of script that answers took since the last call. */
  takeSpent(): number {
    const { spent } = this;
    this.spent = 0;
    return spent;
  }

  /** Whether any answer is on its way. */
  get isBusy(): boolean {
    return this.asked.size > 0;
  }

  /** Whether the answer is on its way. */
  isAsked(question: string): boolean {
    return this.asked.has(question);
  }

  /** The answer if it is here, without asking. */
  peek<T>(question: string): T | null {
    if (this.inside !== null) return (this.inside[question] as T | undefined) ?? null;
    return (this.kept.get(question) as T | undefined) ?? null;
  }
}
