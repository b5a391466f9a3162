import { init, type ChartOption } from './echarts'
import type { Palette } from './palette'
import { withTexts } from './pngTexts'
import { leavingLines, leavingTitle, type Leaving } from './table'

/** A picture that leaves the house: the chart, what it is of, and what must stand beside it. */
export interface Picture extends Leaving {
  option: ChartOption
  palette: Palette
  width?: number
  height?: number
  /** In place of the chart's own title; that more may come is said before it all the same. */
  heading?: string
  /** Whence the figures are, in words of who takes the picture along. */
  source?: string
  /** The picture in words, for those who do not see it. */
  alternative?: string
}

const MARGIN = 24
const LINE = 15
const TITLE = 40
const TITLE_LINE = 24
/** Letters of a title on a line, to those of a footnote. */
const TITLE_SHARE = 0.6

/**
 * Breaks a text into lines of at most `width` characters, at spaces.
 *
 * @returns at least one line; a longer word stays whole.
 */
export function wrapped(text: string, width: number): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(/\s+/)) {
    if (line && line.length + 1 + word.length > width) {
      lines.push(line)
      line = word
    } else line = line ? `${line} ${word}` : word
  }
  lines.push(line)
  return lines
}

/**
 * The option of a picture: the chart with its title above, its caveats and its origin below.
 *
 * @returns the option and the height that it needs, in pixels.
 */
export function pictureOption(picture: Picture): { option: ChartOption; width: number; height: number } {
  const width = picture.width ?? 1200
  const chart = picture.height ?? 520
  const { palette } = picture
  const characters = Math.floor((width - 2 * MARGIN) / 6.4)
  const said = [...(picture.source ? [`Source: ${allowed(picture.source)}`] : []), ...leavingLines(picture)]
  const lines = said.flatMap((text) => wrapped(text, characters))
  const title = wrapped(headingOf(picture), Math.floor(characters * TITLE_SHARE))
  const top = TITLE + (title.length - 1) * TITLE_LINE
  const height = top + chart + lines.length * LINE + MARGIN
  const grid = picture.option.grid as Record<string, unknown> | undefined
  const legend = picture.option.legend as Record<string, unknown> | undefined
  const option: ChartOption = {
    ...picture.option,
    backgroundColor: palette.sheet,
    dataZoom: [],
    title: {
      text: title.join('\n'),
      left: MARGIN,
      top: 16,
      textStyle: {
        color: palette.ink,
        fontFamily: palette.fontText,
        fontSize: 18,
        lineHeight: TITLE_LINE,
        fontWeight: 'bold',
      },
    },
    legend: { ...legend, left: MARGIN, top: top + 8 },
    grid: {
      ...grid,
      left: Math.max(MARGIN, Number(grid?.['left']) || 0),
      right: MARGIN,
      top: top + 64,
      bottom: lines.length * LINE + MARGIN + 40,
    },
    graphic: lines.map((text, index) => ({
      type: 'text' as const,
      left: MARGIN,
      top: height - MARGIN / 2 - (lines.length - index) * LINE,
      style: { text, fill: palette.ink3, font: `11px ${palette.fontText}` },
    })),
  }
  return { option, width, height }
}

/** What a picture is headed by: what somebody chose, else what it is of. */
export function headingOf(picture: Picture): string {
  if (!picture.heading) return leavingTitle(picture)
  return leavingTitle({ title: allowed(picture.heading), soFar: picture.soFar })
}

/** A text without what no document of markup may hold, however it is written. */
const allowed = (text: string): string =>
  text.replaceAll(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd')

/** A text as it stands in a document of markup. */
const inMarkup = (text: string): string =>
  allowed(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** What a picture tells those who do not see it: what it shows, and what stands beside it. */
const toldBy = (picture: Picture): string =>
  allowed([picture.alternative, ...leavingLines(picture)].filter(Boolean).join(' '))

function described(svg: string, picture: Picture): string {
  const words = `<title>${inMarkup(headingOf(picture))}</title><desc>${inMarkup(toldBy(picture))}</desc>`
  return svg.replace(/<svg\b[^>]*>/, (begin) => `${begin.replace('<svg', '<svg role="img"')}${words}`)
}

/** The picture as SVG text, caveats included. */
export function pictureSvg(picture: Picture): string {
  const { option, width, height } = pictureOption(picture)
  const chart = init(null, null, { renderer: 'svg', ssr: true, width, height })
  try {
    chart.setOption(option)
    return described(chart.renderToSVGString(), picture)
  } finally {
    chart.dispose()
  }
}

/** The picture as a PNG at twice the resolution, caveats included; its title and its words stand in it, too. */
export function picturePng(picture: Picture): Blob {
  const { option, width, height } = pictureOption(picture)
  const canvas = document.createElement('div')
  const chart = init(canvas, null, { renderer: 'canvas', width, height, devicePixelRatio: 2 })
  try {
    chart.setOption(option)
    const address = chart.getDataURL({ type: 'png', pixelRatio: 2, backgroundColor: picture.palette.sheet })
    return withTexts(address, {
      Title: headingOf(picture),
      Description: toldBy(picture),
      Source: picture.source ? allowed(picture.source) : '',
      Software: 'Weighhouse',
    })
  } finally {
    chart.dispose()
  }
}
