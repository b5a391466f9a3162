export { default as NotesCard } from './NotesCard.vue'
export { useNotes, type Subject } from './queries'
