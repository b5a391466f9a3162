import '@fontsource-variable/ibm-plex-sans/wght.css'
import '@fontsource-variable/source-serif-4/opsz.css'
import '@fontsource/ibm-plex-mono/latin-400.css'
import '@fontsource/ibm-plex-mono/latin-600.css'
import './tokens.css'
import './base.css'

export { useTheme, type Theme, type ThemeChoice } from './theme'
export { readToken, type Token } from './tokens'
