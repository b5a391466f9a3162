import { saveAddress, type MenuItem } from '@/ui'

const FORMS = [
  { form: 'hgrm', label: 'percentile text, .hgrm' },
  { form: 'hlog', label: 'log, .hlog' },
] as const

/** Where a run's histogram of an operation is kept from. */
export function histogramAddress(run: string, operation: string, form: 'hgrm' | 'hlog'): string {
  return `/api/v1/runs/${encodeURIComponent(run)}/histogram?${new URLSearchParams({ operation, format: form })}`
}

/** What can be taken along of a run's distributions: each operation in each form. */
export function histogramFiles(run: string, operations: readonly string[]): MenuItem[] {
  return operations.flatMap((operation) =>
    FORMS.map(({ form, label }) => ({
      label: `Histogram of ${operation}, ${label}`,
      select: () => saveAddress(histogramAddress(run, operation, form)),
    })),
  )
}
