// A canvas with sharp pixels on every screen.

export class Surface {
  readonly context: CanvasRenderingContext2D;
  width = 0;
  height = 0;

  constructor(readonly element: HTMLCanvasElement) {
    const context = element.getContext("2d");
    if (context === null) throw new Error("this browser has no canvas");
    this.context = context;
    this.height = Number(element.getAttribute("height"));
    element.style.height = `${this.height}px`;
  }

  /** Adapts to the page's width and clears. */
  begin(): void {
    const scale = window.devicePixelRatio || 1;
    this.width = Math.max(1, this.element.clientWidth);
    const wide = Math.round(this.width * scale);
    const high = Math.round(this.height * scale);
    if (this.element.width !== wide || this.element.height !== high) {
      this.element.width = wide;
      this.element.height = high;
    }
    this.context.setTransform(scale, 0, 0, scale, 0, 0);
    this.context.clearRect(0, 0, this.width, this.height);
  }
}
