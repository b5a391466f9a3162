declare module 'subset-font' {
  interface Wanted {
    targetFormat: 'woff2'
    keepFeatures: readonly string[]
    variationAxes: Record<string, number | { min: number; max: number }>
  }
  export default function subsetFont(font: Buffer, text: string, wanted: Wanted): Promise<Buffer>
}
