import { inject, provide, type InjectionKey, type Ref } from 'vue'

import type { Draft } from './draft'
import type { FieldErrors } from './errors'

/** What every part of the editor shares. */
export interface Editor {
  draft: Draft
  errors: Ref<FieldErrors>
  readonly: Ref<boolean>
}

const key: InjectionKey<Editor> = Symbol('editor')

/** Hands the editor to everything inside the component. */
export function provideEditor(editor: Editor): void {
  provide(key, editor)
}

/** The editor this component is inside of. */
export function useEditor(): Editor {
  const editor = inject(key)
  if (!editor) throw new Error('This part of the editor stands outside of one.')
  return editor
}
