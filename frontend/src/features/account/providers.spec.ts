import { describe, expect, it } from 'vitest'

import { localPath } from './providers'

describe('where one goes after signing in', () => {
  it('is a path of this interface', () => {
    expect(localPath('/runs/1?tab=log#end')).toBe('/runs/1?tab=log#end')
  })

  it.each(['https://elsewhere.test', '//elsewhere.test', '/\\elsewhere.test', '/a\\b', 'runs', '', undefined, ['/a']])(
    'is the first page instead of %s',
    (wanted) => {
      expect(localPath(wanted)).toBe('/')
    },
  )
})
