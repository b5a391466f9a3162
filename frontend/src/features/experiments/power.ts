import type { NoiseFloor } from '@/api'

/** The smallest and the largest relative difference that equal sides stay within; null: not known. */
export interface Blur {
  least: number
  most: number
}

/** What machines of the project cannot tell of the systems of a document. */
export function blurOf(floors: readonly NoiseFloor[], systems: readonly string[]): Blur | null {
  const known = floors.flatMap((one) => (systems.includes(one.system_id) && one.floor !== null ? [one.floor] : []))
  return known.length ? { least: Math.min(...known), most: Math.max(...known) } : null
}

const percent = (share: number) => (share * 100).toPrecision(2)

/** How small a difference so many repeats find, in a sentence. */
export function powerWords(blur: Blur | null, repeats: number): string {
  if (repeats < 2) return 'One repeat finds no difference, however large: nothing is known of how much runs scatter.'
  if (!blur) {
    const unknown = `How small a difference ${repeats} repeats find is not known`
    return `${unknown}: no A/A campaign has measured these systems here.`
  }
  const low = percent(blur.least)
  const high = percent(blur.most)
  const span = low === high ? `${high} %` : `${low} to ${high} %`
  const found = `${repeats} repeats tell differences of more than ${span} in throughput from noise`
  return `${found}, as A/A campaigns found here.`
}
