import { computed, ref, type ComputedRef, type Ref } from 'vue'
import { isMap, isSeq, parseDocument, type Document } from 'yaml'

/** Steps into a document: keys and positions. */
export type Path = readonly (string | number)[]

/** A document under edit: the text is the truth, the form is a view of it. */
export interface Draft {
  text: Ref<string>
  /** The document; null while the text is not YAML or not a mapping. */
  document: ComputedRef<Record<string, unknown> | null>
  /** Why the text cannot be read, for people; empty when it can. */
  syntaxError: ComputedRef<string>
  changed: ComputedRef<boolean>
  get: (path: Path) => unknown
  set: (path: Path, value: unknown) => void
  remove: (path: Path) => void
  append: (path: Path, value: unknown) => void
  /** Puts a value into a list, before what stands at the place. */
  insert: (path: Path, at: number, value: unknown) => void
  /** Takes another text as the saved one. */
  reset: (text: string) => void
}

/**
 * Opens a YAML text for editing through a form and as text at once.
 *
 * Edits of the form change only the value meant; comments, order and spelling of the rest stay.
 *
 * @param initial the saved text.
 */
export function useDraft(initial: string): Draft {
  const text = ref(initial)
  const saved = ref(initial)

  const parsed = computed(() => parseDocument(text.value))
  const syntaxError = computed(() => {
    const error = parsed.value.errors[0]
    if (error) return error.message.split('\n')[0] ?? 'This is not YAML.'
    return text.value.trim() && !isMap(parsed.value.contents) ? 'The document has to be a mapping.' : ''
  })
  const document = computed(() => (syntaxError.value ? null : ((parsed.value.toJS() ?? {}) as Record<string, unknown>)))

  function edit(change: (document: Document.Parsed) => void): void {
    if (syntaxError.value) return
    const next = parseDocument(text.value)
    change(next)
    text.value = next.toString({ lineWidth: 0 })
  }

  function get(path: Path): unknown {
    return path.reduce<unknown>(
      (value, step) =>
        typeof value === 'object' && value !== null ? (value as Record<string | number, unknown>)[step] : undefined,
      document.value,
    )
  }

  function set(path: Path, value: unknown): void {
    if (value === undefined) remove(path)
    else edit((next) => next.setIn(path, next.createNode(value)))
  }

  function remove(path: Path): void {
    edit((next) => {
      next.deleteIn(path)
      // Mappings that became empty say nothing: leave them out as well.
      for (let parent = path.slice(0, -1); parent.length > 0; parent = parent.slice(0, -1)) {
        const left = next.getIn(parent)
        if (!isMap(left) || left.items.length > 0) return
        next.deleteIn(parent)
      }
    })
  }

  function append(path: Path, value: unknown): void {
    edit((next) => {
      if (next.hasIn(path)) next.addIn(path, next.createNode(value))
      else next.setIn(path, next.createNode([value]))
    })
  }

  function insert(path: Path, at: number, value: unknown): void {
    edit((next) => {
      const list = next.getIn(path)
      if (isSeq(list)) list.items.splice(at, 0, next.createNode(value))
      else next.setIn(path, next.createNode([value]))
    })
  }

  function reset(next: string): void {
    saved.value = next
    text.value = next
  }

  const changed = computed(() => text.value !== saved.value)
  return { text, document, syntaxError, changed, get, set, remove, append, insert, reset }
}
