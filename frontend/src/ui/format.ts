/** Figures as people read them. A value and its unit stay apart, so that each can be set. */

/** A number ready to be shown. */
export interface Shown {
  value: string
  unit: string
}

const MISSING: Shown = { value: '–', unit: '' }
const groups = new Intl.NumberFormat('en-GB', { useGrouping: true, maximumFractionDigits: 0 })

function significant(value: number, digits = 3): string {
  if (value === 0) return '0'
  const magnitude = Math.floor(Math.log10(Math.abs(value)))
  const decimals = Math.max(0, Math.min(6, digits - 1 - magnitude))
  return decimals === 0 ? formatCount(value) : value.toFixed(decimals)
}

/** A whole number with thin spaces between thousands: `1 474 560`. */
export function formatCount(value: number | null | undefined): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return '–'
  return groups.format(value).replaceAll(',', '\u2009')
}

/** The number of a campaign, as it is written wherever it stands: `№ 12`. */
export function numbered(campaign: number): string {
  return `№ ${String(campaign)}`
}

/** Operations per second, with three figures that matter: `48.2` `k op/s`. */
export function formatThroughput(perSecond: number | null | undefined): Shown {
  if (perSecond === null || perSecond === undefined || !Number.isFinite(perSecond)) return MISSING
  if (perSecond >= 1e6) return { value: significant(perSecond / 1e6), unit: 'M op/s' }
  if (perSecond >= 1e4) return { value: significant(perSecond / 1e3), unit: 'k op/s' }
  return { value: significant(perSecond), unit: 'op/s' }
}

/** A latency given in microseconds: `840` `µs`, `3.42` `ms`, `1.20` `s`. */
export function formatLatency(us: number | null | undefined): Shown {
  if (us === null || us === undefined || !Number.isFinite(us)) return MISSING
  if (us >= 1e6) return { value: significant(us / 1e6), unit: 's' }
  if (us >= 1e3) return { value: significant(us / 1e3), unit: 'ms' }
  return { value: significant(us), unit: 'µs' }
}

/** Bytes in binary units: `1.50` `GiB`. */
export function formatBytes(bytes: number | null | undefined): Shown {
  if (bytes === null || bytes === undefined || !Number.isFinite(bytes)) return MISSING
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB']
  let value = bytes
  let index = 0
  while (Math.abs(value) >= 1024 && index < units.length - 1) {
    value /= 1024
    index += 1
  }
  return { value: significant(value), unit: units[index] ?? 'B' }
}

/** Bytes a second in binary units: `1.50` `GiB/s`. */
export function formatFlow(bytesPerSecond: number | null | undefined): Shown {
  const { value, unit } = formatBytes(bytesPerSecond)
  return unit ? { value, unit: `${unit}/s` } : MISSING
}

/** A share in percent: `98.2` `%`. */
export function formatShare(percent: number | null | undefined): Shown {
  if (percent === null || percent === undefined || !Number.isFinite(percent)) return MISSING
  return { value: significant(percent), unit: '%' }
}

/** A figure with its unit, where it has one. */
export function writtenAs({ value, unit }: Shown): string {
  return `${value} ${unit}`.trim()
}

/** How figures are written, by the scale that the catalogue gives them. */
export const BY_SCALE = {
  rate: formatThroughput,
  time: formatLatency,
  size: formatBytes,
  flow: formatFlow,
  share: formatShare,
} as const

/** A fraction as a signed percentage: `0.052` → `+5.2 %`. */
export function formatRelative(fraction: number | null | undefined, digits = 1): string {
  if (fraction === null || fraction === undefined || !Number.isFinite(fraction)) return '–'
  const text = Math.abs(fraction * 100).toFixed(digits)
  if (Number(text) === 0) return `0\u2009%`
  return `${fraction < 0 ? '−' : '+'}${text}\u2009%`
}

/** How far figures scatter around their level: `0.031` → `±3.1 %`. */
export function formatSpread(fraction: number): string {
  return `±${(fraction * 100).toFixed(1)}\u2009%`
}

/** How large a change is: of a level its share, of a spread how many times as wide it is. */
export function formatShift(kind: string, relative: number): string {
  return kind === 'spread' ? `×\u2009${(1 + relative).toFixed(1)}` : formatRelative(relative)
}

/** A length of time given in seconds: `42 s`, `3 min 20 s`, `2 h 05 min`, `3 d 4 h`. */
export function formatDuration(seconds: number | null | undefined): string {
  if (seconds === null || seconds === undefined || !Number.isFinite(seconds)) return '–'
  if (seconds > 0 && seconds < 1) return `${Math.max(1, Math.round(seconds * 1000))} ms`
  const whole = Math.round(seconds)
  const pad = (part: number) => String(part).padStart(2, '0')
  if (whole < 60) return `${whole} s`
  if (whole < 3600) {
    const rest = whole % 60
    return rest ? `${Math.floor(whole / 60)} min ${pad(rest)} s` : `${Math.floor(whole / 60)} min`
  }
  if (whole < 86_400) {
    const rest = Math.floor((whole % 3600) / 60)
    return rest ? `${Math.floor(whole / 3600)} h ${pad(rest)} min` : `${Math.floor(whole / 3600)} h`
  }
  const rest = Math.floor((whole % 86_400) / 3600)
  return rest ? `${Math.floor(whole / 86_400)} d ${rest} h` : `${Math.floor(whole / 86_400)} d`
}

/** An instant in the reader's zone: `20 Nov 2026, 14:05`. */
export function formatInstant(instant: string | null | undefined, seconds = false): string {
  if (!instant) return '–'
  return new Intl.DateTimeFormat('en-GB', {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    ...(seconds ? { second: '2-digit' } : {}),
  }).format(new Date(instant))
}

/**
 * An instant as seen from now: `just now`, `4 min ago`, `in 2 h`; a date when far away.
 *
 * @param instant RFC 3339.
 * @param now milliseconds since the epoch.
 */
export function formatAgo(instant: string | null | undefined, now: number): string {
  if (!instant) return 'never'
  const seconds = (now - Date.parse(instant)) / 1000
  const distance = Math.abs(seconds)
  if (distance < 45) return seconds >= 0 ? 'just now' : 'in a moment'
  if (distance > 14 * 86_400) return formatInstant(instant).split(',')[0] ?? ''
  const steps: [number, string][] = [
    [86_400, 'd'],
    [3600, 'h'],
    [60, 'min'],
  ]
  const [size, unit] = steps.find(([step]) => distance >= step) ?? [60, 'min']
  const amount = Math.max(1, Math.round(distance / size))
  return seconds >= 0 ? `${amount} ${unit} ago` : `in ${amount} ${unit}`
}

/** What a run is called where many are named: the end of its id, which its page says too. */
export const shortId = (id: string): string => id.slice(-6)

/** One word in the right number: `plural(3, 'run')` → `3 runs`. */
export function plural(count: number, word: string, many = `${word}s`): string {
  return `${formatCount(count)} ${count === 1 ? word : many}`
}

/** A load in words: `12 clients`, `30,000 op/s`. */
export function formatLoad({ kind, value }: { kind: 'closed' | 'open'; value: number }): string {
  if (kind === 'open') return `${value.toLocaleString('en')} op/s`
  return `${value.toLocaleString('en')} ${value === 1 ? 'client' : 'clients'}`
}

/** The number that the name of an ordinary load begins with, and whether it is a rate. */
const ORDINARY = /^(\d[\d.e+]*)(\/s| clients?\b)/
/** Names of rates have six figures, as Python's `g` writes them. */
const SAME = 1e-5

/**
 * A cell's load level in words; of a level that is another load for each target, this one's load as well,
 * whatever the level is called.
 */
export function levelWords(level: { kind: 'closed' | 'open'; value: number; label: string }): string {
  const [, number, unit] = ORDINARY.exec(level.label) ?? []
  const says = number === undefined ? NaN : Number(number)
  const plain = (unit === '/s') === (level.kind === 'open') && Math.abs(says - level.value) <= SAME * level.value
  return plain ? level.label : `${level.label} (${formatLoad(level)})`
}
