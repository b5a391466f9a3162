import type { System } from '@/api'

/** Systems as the choices of a field. */
export function choicesOf(systems: readonly System[]): { value: string; label: string }[] {
  return systems.map((one) => ({ value: one.id, label: one.name }))
}

/**
 * The foreign load tools that can make the load on a system, and the one that is chosen, whether or not it can: what
 * the document says stays to be seen.
 */
export function toolsFor(systems: readonly System[], system: System | undefined, chosen: unknown): System[] {
  return systems.filter(
    (one) =>
      one.kind === 'tool' && (one.id === chosen || (system !== undefined && one.tool_drivers.includes(system.driver))),
  )
}
