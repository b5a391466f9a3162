export { default as NotificationsPanel } from './NotificationsPanel.vue'
