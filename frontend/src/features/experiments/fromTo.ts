/** The fewest and the most, where repetitions have a rule or a search decides. */
export const fromTo = (least: string, most: string) => (least === most ? least : `${least} – ${most}`)
