export { ofProject } from './ofProject'
export { useSession } from './store'
