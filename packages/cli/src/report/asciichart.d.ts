/** The types of what is used of the package, which has none of its own. */
declare module 'asciichart' {
  /** `offset`: columns of the labels, and of the axis behind them. */
  type PlotOptions = Partial<Record<'min' | 'max' | 'height' | 'offset', number>> & {
    readonly format?: (value: number) => string;
  };
  /** One line for each series; all begin at the same column, a column for each value. */
  export function plot(series: readonly (readonly number[])[], options?: PlotOptions): string;
}
