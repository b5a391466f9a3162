export { default as ShareButton } from './ShareButton.vue'
export { default as SharesPanel } from './SharesPanel.vue'
export { default as LinkPassword } from './LinkPassword.vue'
export { isLocked, sourceOf, useLinkToken, useShared, useSharedReport, useSharedSeries, type Way } from './shared'
