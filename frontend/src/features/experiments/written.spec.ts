import { expect, it } from 'vitest'
import { nextTick, ref } from 'vue'

import { useWritten } from './written'

function numbers() {
  const list = ref<number[]>([2])
  const read = (text: string) => text.split(',').map(Number).filter(Boolean)
  const typed = useWritten(
    () => list.value.join(', '),
    (text) => read(text).join(', '),
    (text) => (list.value = read(text)),
  )
  return { list, typed }
}

it('keeps a comma that is only begun', async () => {
  const { list, typed } = numbers()
  for (const text of ['2,', '2,5', '2,5,']) {
    typed.value = text
    await nextTick()
    expect(typed.value).toBe(text)
  }
  expect(list.value).toEqual([2, 5])
})

it('follows the document where that is changed elsewhere', async () => {
  const { list, typed } = numbers()
  list.value = [4, 8]
  await nextTick()
  expect(typed.value).toBe('4, 8')
})
