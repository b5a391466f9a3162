import { mount } from '@vue/test-utils'
import { describe, expect, it } from 'vitest'

import UiTable, { type Column } from './UiTable.vue'

interface Row {
  id: number
  name: string
  value: number | null
}
const rows: Row[] = [
  { id: 1, name: 'b', value: 5 },
  { id: 2, name: 'a', value: null },
  { id: 3, name: 'c', value: 9 },
]
const columns: Column<Row>[] = [
  { key: 'name', label: 'Name', sort: (row) => row.name },
  { key: 'value', label: 'Value', numeric: true, sort: (row) => row.value },
  { key: 'note', label: 'Note' },
]

function table() {
  return mount(UiTable<Row>, {
    props: { columns, rows, rowKey: (row: Row) => row.id, caption: 'Things' },
    slots: { 'cell-name': `<template #cell-name="{ row }">{{ row.name }}</template>` },
  })
}
const names = (wrapper: ReturnType<typeof table>) => wrapper.findAll('tbody tr').map((row) => row.find('td').text())

describe('a table', () => {
  it('says what a row says, where nothing else was put into a cell', () => {
    const cells = table().findAll('tbody tr')[0]?.findAll('td')
    expect(cells?.map((cell) => cell.text())).toEqual(['b', '5', ''])
  })

  it('keeps the order it is given, and says how it is sorted', async () => {
    const wrapper = table()
    expect(names(wrapper)).toEqual(['b', 'a', 'c'])
    const [name, value, note] = wrapper.findAll('th')
    expect(name?.attributes('aria-sort')).toBe('none')
    expect(note?.attributes('aria-sort')).toBeUndefined()

    await name?.find('button').trigger('click')
    expect(names(wrapper)).toEqual(['a', 'b', 'c'])
    expect(name?.attributes('aria-sort')).toBe('ascending')
    expect(value?.attributes('aria-sort')).toBe('none')
  })

  it('sorts figures from large to small first, and puts what is missing last either way', async () => {
    const wrapper = table()
    const value = wrapper.findAll('th')[1]
    await value?.find('button').trigger('click')
    expect(names(wrapper)).toEqual(['c', 'b', 'a'])
    await value?.find('button').trigger('click')
    expect(names(wrapper)).toEqual(['b', 'c', 'a'])
  })
})
