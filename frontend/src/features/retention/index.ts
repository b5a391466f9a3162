export { default as CampaignRetention } from './CampaignRetention.vue'
export { default as RetentionPanel } from './RetentionPanel.vue'
export { default as ThinnedNote } from './ThinnedNote.vue'
