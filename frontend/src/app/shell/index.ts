/** What stands around pages, brought when the first one that has it is opened. */
export const shell = () => import('./AppShell.vue')
