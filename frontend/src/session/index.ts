export { useSession } from './store'
