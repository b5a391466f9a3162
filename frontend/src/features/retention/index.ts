export { default as CampaignKeeping } from './CampaignKeeping.vue'
export { default as RetentionPanel } from './RetentionPanel.vue'
export { default as ThinnedNote } from './ThinnedNote.vue'
