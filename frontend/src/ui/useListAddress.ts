import { computed, type ComputedRef, type WritableComputedRef } from 'vue'

import { textField, type AddressFields } from './address'
import { useAddress, type AddressRefs } from './useAddress'

/** What a list is narrowed to and which part of it is on show. */
export interface ListAddress<F extends AddressFields> {
  /** One for each field; a new value begins the list anew. */
  filters: AddressRefs<F>
  /** Of the part on show; empty: the first. */
  cursor: WritableComputedRef<string>
  /** By how many fields the list is narrowed. */
  narrowed: ComputedRef<number>
  /** Shows all again. */
  clear: () => void
}

/**
 * A list's filters and place, as they stand in the address.
 *
 * @param fields names and ways of reading the filters.
 * @param place name of the place; another one for a second list of a page.
 */
export function useListAddress<F extends AddressFields>(fields: F, place = 'page'): ListAddress<F> {
  const all = useAddress({ ...fields, [place]: textField() }) as unknown as Record<string, WritableComputedRef<unknown>>
  const cursor = all[place] as WritableComputedRef<string>
  const filters = Object.fromEntries(
    Object.keys(fields).map((name) => [
      name,
      computed({
        get: () => all[name]!.value,
        set: (value) => {
          all[name]!.value = value
          cursor.value = ''
        },
      }),
    ]),
  ) as unknown as AddressRefs<F>
  const written = (name: string, value: unknown) => fields[name]!.write(value).join()
  return {
    filters,
    cursor,
    narrowed: computed(
      () =>
        Object.keys(fields).filter((name) => written(name, all[name]!.value) !== written(name, fields[name]!.initial))
          .length,
    ),
    clear: () => {
      for (const name of Object.keys(fields)) all[name]!.value = fields[name]!.initial
      cursor.value = ''
    },
  }
}
