import { ref, watch, type Ref } from 'vue'

/**
 * A text that stands for something of the document, as it is written: it stays as it is typed, as long as it means what
 * the document says.
 *
 * @param inDocument what the document says, as a text.
 * @param meaning what a text means, as the document would be read back.
 * @param write puts a text's meaning into the document; where it is unclear, nothing.
 */
export function useWritten(
  inDocument: () => string,
  meaning: (text: string) => string,
  write: (text: string) => void,
): Ref<string> {
  const typed = ref(inDocument())
  watch(typed, (text) => {
    if (meaning(text) !== inDocument()) write(text)
  })
  watch(inDocument, (now) => {
    if (meaning(typed.value) !== now) typed.value = now
  })
  return typed
}
