import { saveAddress, type MenuItem } from '@/ui'

import type { ExportForm, ExportTable } from './takeAway'

/** The tables that the server makes of each thing; what each holds stands in docs/exports.md. */
export const COMPARISON_TABLES: readonly ExportTable[] = [
  { name: 'figures', label: 'Figures' },
  { name: 'differences', label: 'Differences' },
  { name: 'repeats', label: 'Repeats' },
]
export const CAMPAIGN_TABLES: readonly ExportTable[] = [
  { name: 'figures', label: 'Figures' },
  { name: 'differences', label: 'Differences' },
  { name: 'runs', label: 'Runs' },
  { name: 'operations', label: 'Figures by operation' },
  { name: 'intervals', label: 'Intervals of all runs' },
  { name: 'resources', label: 'Resources of all runs' },
]
export const RUN_TABLES: readonly ExportTable[] = [
  { name: 'operations', label: 'Figures by operation' },
  { name: 'intervals', label: 'Intervals' },
  { name: 'resources', label: 'Resources' },
]
export const SERIES_TABLES: readonly ExportTable[] = [
  { name: 'points', label: 'Points of this series' },
  { name: 'changes', label: 'Where it shifted' },
]
/** What a run gives besides tables. */
export const RUN_LOGS: readonly { value: ExportForm; label: string }[] = [
  { value: 'hlog', label: 'Histograms of its intervals, .hlog' },
]

/** A campaign as one signed file, with all that its figures follow from: docs/bundles.md. */
export function bundleOf(campaign: string): MenuItem[] {
  return [
    {
      label: 'Signed bundle, to be checked by anybody',
      select: () => saveAddress(`/api/v1/campaigns/${campaign}/bundle`),
    },
  ]
}
