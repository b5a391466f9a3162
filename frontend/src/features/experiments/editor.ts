import { inject, provide, shallowReactive, type InjectionKey, type Ref } from 'vue'

import type { TargetNamed } from '@/api'

import type { Draft } from './draft'
import type { FieldErrors } from './errors'

/** A section as the navigation knows it. */
export interface Section {
  title: string
  element: HTMLElement
  count: () => number | undefined
  wrong: () => number
}

/** What every part of the editor shares. */
export interface Editor {
  draft: Draft
  errors: Ref<FieldErrors>
  readonly: Ref<boolean>
  /** What the platform calls the targets; of the last document that could be read. */
  named: Ref<readonly TargetNamed[]>
  sections: Set<Section>
}

const key: InjectionKey<Editor> = Symbol('editor')

/** Hands the editor to everything inside the component. */
export function provideEditor(given: Omit<Editor, 'sections'>): Editor {
  const editor = { ...given, sections: shallowReactive(new Set<Section>()) }
  provide(key, editor)
  return editor
}

/** The editor this component is inside of. */
export function useEditor(): Editor {
  const editor = inject(key)
  if (!editor) throw new Error('This part of the editor stands outside of one.')
  return editor
}

/** Sections as they stand on the page. */
export function inOrder(sections: Iterable<Section>): Section[] {
  return [...sections].sort((one, other) =>
    one.element.compareDocumentPosition(other.element) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1,
  )
}
