export { default as ChartFrame } from './ChartFrame.vue'
export { default as FiguresExport } from './FiguresExport.vue'
export type { ChartOption } from './echarts'
export type { AxisFormat } from './frame'
export { curvesOption, PLOT, yPixels, type CurveFit, type CurvePoint, type CurveSide, type Size } from './curves'
export { bandSeries } from './bands'
export { barsOption, type Bar, type BarSide } from './bars'
export { provideBeside, provideBesideToo, type Beside } from './beside'
export { distributionsOption, type BandedLine } from './distributions'
export { heatOption } from './heat'
export { breaksOf } from './historyJoined'
export { operationColour, PERCENTILES, shadeFor, type Palette } from './palette'
export {
  saysBetter,
  type HistoryChange,
  type HistoryInput,
  type HistoryLine,
  type HistoryNote,
  type HistoryPublished,
  type HistoryPoint,
} from './history'
export { MOST_PUBLISHED } from './historyPublished'
export { historyOption, placesOf } from './seriesHistory'
export type { Along } from './slots'
export { alongInWords, rangeInWords } from './sentences'
export { spectrumOption } from './spectrum'
export { timeLinesOption, type Moment, type PhaseSpan, type Stretch, type TimeLine } from './timeLines'
export { ratioAxis, ratioMark, writeRatio, type Ratio, type RatioAxis } from './ratios'
export { markIsHollow } from './marks'
export { linearScale, logScale, stepScale, type Scale } from './scales'
export { csv, fileName, leavingName, type ChartTable, type Footnote, type Measured } from './table'
export { saveFigures, today } from './takeAlong'
export { timeUnit, writeTime } from './time'
export type { ChartPoint } from './ChartCanvas.vue'
export type { Zoom } from './zoom'
