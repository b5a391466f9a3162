import { roundScale } from './scales'

/** Lines over time with their phases, as far as the scale of values takes them. */
export interface Scaled {
  lines: readonly {
    times: readonly number[]
    values: readonly (number | null)[]
    high?: readonly (number | null)[]
  }[]
  format: { base?: 1000 | 1024 }
  phases?: readonly { kind: string; start_seconds: number; end_seconds: number }[]
  logarithmic?: boolean
}

/** A peak outside the measured phase is let out of the scale when it is so many times the measured one. */
const BEYOND = 2

/** Where the scale of values ends, and what phases are called: an arrow where their lines leave it. */
export function scaleOf(input: Scaled): { axis: { max: number; interval: number }; names: string[] } {
  const phases = input.phases ?? []
  const { whole, each } = peaksOf(input)
  const measured = Math.max(0, ...each.filter((_, phase) => phases[phase]?.kind === 'measure'))
  const axis = roundScale(measured > 0 && whole > BEYOND * measured ? measured : whole, input.format.base)
  const leaves = (phase: number): boolean => !input.logarithmic && (each[phase] ?? 0) > axis.max
  return { axis, names: phases.map(({ kind }, phase) => (leaves(phase) ? `${kind} ↑` : kind)) }
}

/** The highest value of all, and within each phase: every point is looked at once. */
function peaksOf(input: Scaled): { whole: number; each: number[] } {
  const phases = input.phases ?? []
  const each = phases.map(() => 0)
  let whole = 0
  for (const { times, values, high } of input.lines) {
    times.forEach((time, at) => {
      const height = Math.max(values[at] ?? 0, high?.[at] ?? 0)
      whole = Math.max(whole, height)
      phases.forEach((phase, index) => {
        if (time >= phase.start_seconds && time <= phase.end_seconds) each[index] = Math.max(each[index] ?? 0, height)
      })
    })
  }
  return { whole, each }
}
