export { helpDocument } from './document'
export { default as HelpSearch } from './HelpSearch.vue'
export { default as HelpText } from './HelpText.vue'
export { useHelp } from './queries'
