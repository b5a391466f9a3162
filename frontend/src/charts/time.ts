/** The unit a run's time is told in: seconds while it is short, then minutes, then hours. */
export interface TimeUnit {
  name: 'seconds' | 'minutes' | 'hours'
  short: 's' | 'min' | 'h'
  seconds: number
}

const SECONDS: TimeUnit = { name: 'seconds', short: 's', seconds: 1 }
const MINUTES: TimeUnit = { name: 'minutes', short: 'min', seconds: 60 }
const HOURS: TimeUnit = { name: 'hours', short: 'h', seconds: 3600 }

/** The unit for a chart of so many seconds: charts of one run share it, and so their axes. */
export function timeUnit(spanSeconds: number): TimeUnit {
  if (spanSeconds > 3 * HOURS.seconds) return HOURS
  return spanSeconds > 10 * MINUTES.seconds ? MINUTES : SECONDS
}

/**
 * A stretch of time as a cursor tells it: `12.5 s`, `4:05 min`, `3:12:30 h`.
 *
 * @param precise whether fractions of a second matter.
 */
export function writeTime(seconds: number, unit: TimeUnit, precise = false): string {
  if (unit.name === 'seconds') return `${Number(seconds.toFixed(precise ? 2 : 1))} s`
  const whole = Math.round(seconds)
  const two = (value: number): string => String(value).padStart(2, '0')
  const rest = two(whole % 60)
  if (unit.name === 'minutes') return `${Math.floor(whole / 60)}:${rest} min`
  return `${Math.floor(whole / 3600)}:${two(Math.floor(whole / 60) % 60)}:${rest} h`
}
